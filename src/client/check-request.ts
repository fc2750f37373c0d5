/** Checks the types of a request at run time, for JavaScript and for values that TypeScript does not see. @module */
import { field, isObject, lookup } from '../core/lookup.ts'
import { messagesOf } from '../messages/message-like.ts'
import type { RoundChange } from './hooks.ts'
import { type Forms, modelForms, type RunRequest } from './request.ts'

/** The types or words that each field may have, and each field inside another. */
const forms: Forms = [
  ...modelForms,
  ['text', 'model.baseUrl end idempotencyKey responseFormat.name responseFormat.description'],
  ['boolean', 'autoTools wholeAnswer responseFormat.strict'],
  [
    'number',
    'maxRounds maxRepeatedCalls toolTimeoutMs maxResultLength maxResultMedia maxEventBytes maxBodyBytes retries reasoning.budgetTokens',
  ],
  ['list', 'messages approvals observers'],
  ['list of tool({ name })', 'tools'],
  ['text or list', 'system'],
  ['"auto" or "required"', 'toolChoice.mode'],
  ['"concurrent" or "sequential"', 'toolMode'],
  ['"run" or "keep"', 'lastCalls'],
  ['"json"', 'responseFormat.type'],
  ['"none", "minimal", "low", "medium", "high", "xhigh" or "max"', 'reasoning.effort'],
  ['text, list or object', 'prompt'],
  ['object', 'timeouts providerState responseFormat.schema model.headers model.body'],
  ['function', 'stopWhen onToolRequest onToolResult onWarning beforeRound onRound onRequest model.fetch'],
]

/** Fields that take an object with this method. */
const methods: readonly (readonly [field: string, wanted: string, method: string])[] = [
  ['budget', 'what budget() makes', 'isUsedUp'],
  ['resume', 'what resumable() makes', 'chunks'],
  ['split', 'what splitting() makes', 'split'],
  ['liveArguments', 'what liveArguments() makes', 'fresh'],
  ['callLog', 'an object with "claim"', 'claim'],
  ['signal', 'an AbortSignal', 'addEventListener'],
]

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
 * Checks the types of a request.
 *
 * @throws {TypeError} naming the field, and the form it should have; {@link RangeError} for a `maxRepeatedCalls` below 1.
 */
export function checkRequest(request: RunRequest): void {
  const given = isObject(request) ? Object.fromEntries(Object.entries(request)) : {}
  checkModel(given.model)
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    checkHabit(name)
    for (const key in isObject(value) ? value : {}) checkHabit(`${name}.${key}`)
  }
  const at = (path: string) => path.split('.').reduce<unknown>((found, key) => field(found, key), given)
  for (const [types, fields] of forms) for (const name of fields.split(' ')) checkField(name, at(name), types)
  for (const [name, value] of Object.entries(given.timeouts ?? {})) checkField(`timeouts.${name}`, value, 'number')
  for (const [name, wanted, method] of methods) {
    const value: unknown = given[name]
    if (value === undefined || (isObject(value) && typeof value[method] === 'function')) continue
    wrongType(name, wanted, typeOf(value))
  }
  const { messages = [], prompt, maxRepeatedCalls: limit = 1, toolChoice, model } = request
  for (const [at, one] of (request.observers ?? []).entries()) checkField(`observers[${at}]`, one, 'object')
  if (isObject(toolChoice)) {
    const { name, names = [name] }: { readonly name?: unknown; readonly names?: unknown } = toolChoice
    const areNames = Array.isArray(names) && names.every((one) => typeof one === 'string')
    if (!areNames) wrongType('toolChoice', '{ name } or { names, mode }')
  }
  const headers = Object(model.headers)
  if (Symbol.iterator in headers) wrongType('model.headers', 'an object of texts')
  for (const [name, value] of Object.entries(headers)) checkField(`model.headers.${name}`, value ?? null, 'text')
  for (const [at, one] of (request.approvals ?? []).entries()) {
    const isDecision = isObject(one) && typeof one.toolCallId === 'string' && typeof one.approved === 'boolean'
    if (!isDecision) wrongType(`approvals[${at}]`, 'an object with "toolCallId" and "approved"')
  }
  messagesOf(messages)
  if (Array.isArray(prompt) && !isPair(prompt)) {
    throw new TypeError('Cannot ask: "prompt" is one message; a list of messages is for "messages"')
  }
  if (!(limit >= 1) || (limit % 1 !== 0 && limit !== Number.POSITIVE_INFINITY)) {
    throw new RangeError(`Cannot ask: "maxRepeatedCalls" is ${limit}; it is a whole number from 1 on, or Infinity`)
  }
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
    if (change.messages?.length === 0) wrongType('messages', 'a list with a message')
    for (const name of change.tools ?? []) {
      if (!given.some((tool) => 'name' in tool && tool.name === name)) wrongType(`tools ${name}`, 'the name of a tool')
    }
  } catch (cause) {
    throw new TypeError(`beforeRound returned what is not a change: ${(cause as Error).message}`, { cause })
  }
}

/** @throws {TypeError} if it is not a model. */
export function checkModel(model: unknown): void {
  if (isObject(model) && isObject(model.codec) && typeof model.model === 'string') return
  const found = typeof model === 'string' ? `the text "${model.slice(0, 80)}"` : typeOf(model)
  throw new TypeError(
    `Cannot ask: "model" is ${found}; a provider's function makes one, such as openaiChat("gpt-5") or model("openai:gpt-5") of isoglot/models`,
  )
}

function checkHabit(name: string): void {
  const word = name.replace(/_./g, ([, letter = '']) => letter.toUpperCase())
  const ours = lookup(habits, word) ?? (forms.some(([, fields]) => fields.split(' ').includes(word)) ? word : '')
  if (ours ? ours === name : !/^[^.]*_/.test(name)) return
  throw new TypeError(`Cannot ask: there is no "${name}"${ours && `; write ${ours}`}`)
}

/** @throws {TypeError} if the value of a field is of none of these types. */
export function checkField(name: string, value: unknown, types: string): void {
  if (value === undefined || (types.includes(typeOf(value)) && !Number.isNaN(value))) return
  if (typeof value === 'string' && types.includes(`"${value}"`)) return
  wrongType(name, types, Number.isNaN(value) ? 'NaN' : typeOf(value))
}

function wrongType(name: string, wanted: string, found?: string): never {
  throw new TypeError(`Cannot ask: "${name}" is ${found === undefined ? 'not' : `${found}; expected`} ${wanted}`)
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'list'
  if (value === null) return 'null'
  return typeof value === 'string' ? 'text' : typeof value
}

/** A role and its content. */
function isPair(value: readonly unknown[]): boolean {
  return value.length === 2 && typeof value[0] === 'string'
}
