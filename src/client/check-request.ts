/** Checks the types of a request at run time, for JavaScript and for values that TypeScript does not see. @module */
import { isObject, lookup } from '../core/lookup.ts'
import { messagesOf } from '../messages/message-like.ts'
import type { RoundChange } from './hooks.ts'
import { type Forms, modelForms, type RunRequest } from './request.ts'

/** The types or words that each field may have, and each field inside another. `*` is each entry, which must be there. */
const forms: Forms = [
  ...modelForms,
  [
    'text',
    'model.baseUrl model.headers.* end idempotencyKey responseFormat.name responseFormat.description toolChoice.name toolChoice.names.* approvals.*.toolCallId',
  ],
  ['boolean', 'autoTools wholeAnswer responseFormat.strict approvals.*.approved'],
  [
    'number',
    'maxRounds maxRepeatedCalls toolTimeoutMs maxResultLength maxResultMedia maxEventBytes maxBodyBytes retries reasoning.budgetTokens',
  ],
  ['number or undefined', 'timeouts.*'],
  ['list', 'approvals observers toolChoice.names'],
  ['list of tool({ name })', 'tools'],
  ['text or list', 'system'],
  ['"auto" or "required"', 'toolChoice.mode'],
  ['"concurrent" or "sequential"', 'toolMode'],
  ['"run" or "keep"', 'lastCalls'],
  ['"json"', 'responseFormat.type'],
  ['"none", "minimal", "low", "medium", "high", "xhigh" or "max"', 'reasoning.effort'],
  ['object', 'timeouts providerState responseFormat.schema model.headers model.body observers.*'],
  ['function', 'stopWhen onToolRequest onToolResult onWarning beforeRound onRound onRequest model.fetch'],
  ['what budget() makes', 'budget', 'isUsedUp'],
  ['what resumable() makes', 'resume', 'chunks'],
  ['what splitting() makes', 'split', 'split'],
  ['what liveArguments() makes', 'liveArguments', 'fresh'],
  ['an object with "claim"', 'callLog', 'claim'],
  ['an AbortSignal', 'signal', 'addEventListener'],
]

type PlacedValue = readonly [place: string, value: unknown]

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
  const given: Record<string, unknown> = isObject(request) ? request : {}
  checkModel(given.model)
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    checkName(name)
    for (const key in isObject(value) ? value : {}) checkName(`${name}.${key}`)
  }
  for (const [wanted, fields, method] of forms) {
    for (const path of fields.split(' ')) {
      for (const [place, value] of valuesAt(path, given)) {
        if (value !== undefined || path.includes('*')) checkField(place, value, wanted, method)
      }
    }
  }
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
    if (messages !== undefined && messagesOf(messages).length === 0) wrongType('messages', 'a message', 'empty')
    for (const name of tools) {
      if (!given.some((tool) => 'name' in tool && tool.name === name)) wrongType(`tools ${name}`, 'a tool', 'no name')
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

/** @throws {TypeError} for a name of another library, and for one of ours in snake case. */
function checkName(name: string): void {
  const word = name.replace(/_./g, ([, letter = '']) => letter.toUpperCase())
  const ours = lookup(habits, word) ?? (forms.some(([, fields]) => fields.split(' ').includes(word)) ? word : '')
  if (ours ? ours === name : !/^[^.]*_/.test(name)) return
  throw new TypeError(`Cannot ask: there is no "${name}"${ours && `; write ${ours}`}`)
}

/** The values at a path inside an object, and their places. */
function valuesAt(path: string, given: object): readonly PlacedValue[] {
  let found: PlacedValue[] = [['', given]]
  for (const key of path.split('.')) {
    found = found.flatMap(([place, value]) => {
      const parent = Object(value)
      const keys = key === '*' ? Object.keys(parent) : [key]
      return keys.map((name) => [
        Array.isArray(value) ? `${place}[${name}]` : `${place && `${place}.`}${name}`,
        parent[name],
      ])
    })
  }
  return found
}

/** @throws {TypeError} if the value of a field is of none of these types, or does not have the method. */
export function checkField(name: string, value: unknown, wanted: string, method?: string): void {
  const found = typeOf(value)
  const fits = method
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
