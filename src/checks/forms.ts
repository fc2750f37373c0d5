/** The options of all public functions that take some, with their types. Only development builds have this file. @module */
import type { RunRequest } from '../client/request.ts'

/**
 * For each option: the types that it accepts (`text`, `number`, `boolean`, `list`, `object`, `function`), or its words in quotes; empty for any
 * value. If the value must have fields or a method, a pair has the types, and then the forms of the fields or the name of the method. `*`
 * stands for every entry, and no entry may be absent. `...` permits other options.
 */
export interface Forms {
  readonly [option: string]: string | readonly [wanted: string, inside: Forms | string]
}

/** The forms of all options of a type: none may be forgotten. */
export type FormsOf<Options> = { readonly [Name in keyof Options]-?: Forms[string] }

/** What a function takes. */
export interface Taken {
  /** What the function does, such as `make a tool`. */
  readonly attempt: string
  readonly forms: Forms
  /** Names that other libraries have for an option, by path, and ours. */
  readonly habits?: Readonly<Record<string, string>>
}

const request: FormsOf<RunRequest> = {
  maxTokens: 'number',
  temperature: 'number',
  topP: 'number',
  topK: 'number',
  seed: 'number',
  stop: 'list',
  frequencyPenalty: 'number',
  presencePenalty: 'number',
  toolChoice: [
    '"auto", "none", "required" or object',
    { name: 'text', names: ['list', { '*': 'text' }], mode: '"auto" or "required"' },
  ],
  parallelToolCalls: 'boolean',
  responseFormat: [
    'object',
    { type: '"json"', schema: 'object', name: 'text', description: 'text', strict: 'boolean' },
  ],
  reasoning: [
    'object',
    { effort: '"none", "minimal", "low", "medium", "high", "xhigh" or "max"', budgetTokens: 'number' },
  ],
  user: 'text',
  providerOptions: ['object', { '...': '' }],
  strict: 'boolean or function',
  model: [
    'object',
    { baseUrl: 'text', headers: ['object', { '*': 'text' }], body: 'object', fetch: 'function', '...': '' },
  ],
  system: 'text or list',
  messages: '',
  prompt: '',
  tools: 'list of tool({ name })',
  providerState: 'object',
  autoTools: 'boolean',
  maxRounds: 'number',
  maxRepeatedCalls: 'number',
  budget: ['what budget() makes', 'isUsedUp'],
  stopWhen: 'function',
  approvals: ['list', { '*': ['object', { toolCallId: 'text', approved: 'boolean', '...': '' }] }],
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
}

/**
 * Fields of other libraries, which would be ignored, and our fields instead. A name with a `_` that is not in the table has the same name
 * in `camelCase`.
 */
const requestHabits: Readonly<Record<string, string>> = {
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

/** The name of a function that takes options. */
export type OptionsOf = 'stream'

/** The functions, by their names. */
export const taken: Readonly<Record<OptionsOf, Taken>> = {
  stream: { attempt: 'ask', forms: request, habits: requestHabits },
}
