/** Checks the types of a request at run time, for JavaScript and for values that TypeScript does not see. @module */
import { isObject, lookup } from '../core/lookup.ts'
import { messagesOf } from '../messages/message-like.ts'
import type { RoundChange } from './hooks.ts'
import { type Forms, modelForms, type RunRequest } from './request.ts'

const forms: Forms = {
  ...modelForms,
  model: ['object', { baseUrl: 'text', headers: ['object', { '*': 'text' }], body: 'object', fetch: 'function' }],
  system: 'text or list',
  tools: 'list of tool({ name })',
  providerState: 'object',
  autoTools: 'boolean',
  maxRounds: 'number',
  maxRepeatedCalls: 'number',
  budget: ['what budget() makes', 'isUsedUp'],
  stopWhen: 'function',
  approvals: ['list', { '*': ['object', { toolCallId: 'text', approved: 'boolean' }] }],
  callLog: ['an object with "claim"', 'claim'],
  toolMode: '"concurrent" or "sequential"',
  toolTimeoutMs: 'number',
  maxResultLength: 'number',
  maxResultMedia: 'number',
  split: ['what splitting() makes', 'split'],
  onToolRequest: 'function',
  onToolResult: 'function',
  onWarning: 'function',
  beforeRound: 'function',
  onRound: 'function',
  onRequest: 'function',
  observers: ['list', { '*': 'object' }],
  lastCalls: '"run" or "keep"',
  liveArguments: ['what liveArguments() makes', 'fresh'],
  wholeAnswer: 'boolean',
  resume: ['what resumable() makes', 'chunks'],
  signal: ['an AbortSignal', 'addEventListener'],
  timeouts: ['object', { '*': 'number or undefined' }],
  maxEventBytes: 'number',
  maxBodyBytes: 'number',
  retries: 'number',
  idempotencyKey: 'text',
  end: 'text',
}

/**
 * Fields of other libraries, which would be ignored, and our fields instead. A name with a `_` that is not in the table has the same name
 * in `camelCase`.
 */
export const habits: Readonly<Record<string, string>> = {
  maxOutputTokens: 'maxTokens',
  maxCompletionTokens: 'maxTokens',
  stopSequences: 'stop',
  maxSteps: 'maxRounds',
  maxRetries: 'retries',
  timeout: 'timeouts',
  abortSignal: 'signal',
  instructions: 'system',
  systemPrompt: 'system',
  reasoningEffort: 'reasoning: { effort }',
  thinking: 'reasoning: { effort }',
  previousResponseId: 'providerState',
  output: 'generateObject()',
  schema: 'generateObject()',
  'model.baseURL': 'model.baseUrl',
  'toolChoice.type': 'toolChoice: { name }',
  'responseFormat.jsonSchema': 'responseFormat: { type, schema }',
  'providerOptions.openai': 'providerOptions["openai-chat"]',
}

/**
 * Checks the types of a request. Its messages and its tools are checked when they are read.
 *
 * @throws {TypeError} naming the field, and the form it should have.
 */
export function checkRequest(request: RunRequest): void {
  checkModel(isObject(request) ? request.model : request)
  checkFields(request, forms, '', false)
  const { toolChoice, maxRepeatedCalls: limit = 1 } = request
  if (isObject(toolChoice) && !('name' in toolChoice || 'names' in toolChoice)) {
    wrongType('toolChoice', '{ name } or { names, mode }', 'object')
  }
  if (limit < 1 || limit % 1 > 0) wrongType('maxRepeatedCalls', 'a whole number from 1 on, or Infinity', limit)
}

/**
 * Checks what `beforeRound` returned, as the fields of a request are.
 *
 * @throws {TypeError} naming the field, and the form it should have.
 */
export function checkChange(change: RoundChange, request: RunRequest, given: readonly object[]): void {
  try {
    checkField('the change', change, 'object')
    checkRequest({ ...request, ...change } as RunRequest)
    const { messages, tools = [] } = change
    if (messages !== undefined && messagesOf(messages).length === 0)
      wrongType('messages', 'a list with a message', 'empty')
    for (const name of tools) {
      if (!given.some((tool) => 'name' in tool && tool.name === name))
        wrongType(`tools ${name}`, 'the name of a tool', 'unknown')
    }
  } catch (cause) {
    throw new TypeError(`beforeRound returned what is not a change: ${(cause as Error).message}`, { cause })
  }
}

/** @throws {TypeError} if it is not a model. */
export function checkModel(model: unknown): void {
  if (isObject(model) && isObject(model.codec) && typeof model.model === 'string') return
  const wanted =
    'what a function of a provider makes, such as openaiChat("gpt-5") or model("openai:gpt-5") of isoglot/models'
  wrongType('model', wanted, typeof model === 'string' ? `the text "${model.slice(0, 80)}"` : typeOf(model))
}

/** Checks the fields of an object, which stands at this place. */
function checkFields(given: object, forms: Forms, place: string, areRequired: boolean): void {
  const fields = given as Readonly<Record<string, unknown>>
  const at = (name: string) => (Array.isArray(given) ? `${place}[${name}]` : `${place && `${place}.`}${name}`)
  for (const name of Object.keys(fields)) if (fields[name] !== undefined) checkName(at(name), forms)
  const each = forms['*']
  for (const name of Object.keys(each ? fields : forms)) {
    const form = each ?? forms[name] ?? ''
    const [wanted, inside] = typeof form === 'string' ? [form] : form
    const value = fields[name]
    if (value === undefined && !each && !areRequired) continue
    checkField(at(name), value, wanted, inside)
    if (typeof inside === 'object' && typeof value === 'object') {
      checkFields(value as object, inside, at(name), each !== undefined)
    }
  }
}

/** @throws {TypeError} for a name of another library, and for one of ours in snake case. */
function checkName(path: string, forms: Forms): void {
  const word = path.replace(/_./g, ([, letter = '']) => letter.toUpperCase())
  const isOurs = lookup(forms, word.slice(word.lastIndexOf('.') + 1)) !== undefined
  const ours = lookup(habits, word) ?? (isOurs ? word : '')
  if (ours ? ours === path : !/^[^.]*_/.test(path)) return
  throw new TypeError(`Cannot ask: there is no "${path}"${ours && `; write ${ours}`}`)
}

/** @throws {TypeError} if the value of a field is of none of these types, or does not have the method. */
export function checkField(name: string, value: unknown, wanted: string, method?: unknown): void {
  const found = typeOf(value)
  const fits =
    typeof method === 'string'
      ? isObject(value) && typeof (value[method] as unknown) === 'function'
      : wanted.includes(found) || (found === 'text' && wanted.includes(`"${value}"`))
  if (!fits) wrongType(name, wanted, found)
}

function wrongType(name: string, wanted: string, found: string | number): never {
  throw new TypeError(`Cannot ask: "${name}" is ${found}; expected ${wanted}`)
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'list'
  if (value === null || Number.isNaN(value)) return String(value)
  if (typeof value === 'object') return Symbol.iterator in value ? 'iterable' : 'object'
  return typeof value === 'string' ? 'text' : typeof value
}
