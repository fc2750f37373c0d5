/** The options of all public functions that take some, with their types. Only development builds have this file. @module */
import type { browserModel } from '../browser-model/index.ts'
import type { fetchTransport } from '../chat/fetch-transport.ts'
import type { toBlock } from '../chat/files.ts'
import type { modelTransport, workerTransport } from '../chat/model-transport.ts'
import type { createObjectStore } from '../chat/object-store.ts'
import type { createChatStore } from '../chat/store.ts'
import type { createChat } from '../client/chat.ts'
import type { RoundChange } from '../client/hooks.ts'
import type { RunRequest } from '../client/request.ts'
import type { stream } from '../client/run.ts'
import type { generateObject } from '../client/structured.ts'
import type { entraClient } from '../cloud-auth/entra.ts'
import type { googleServiceAccount } from '../cloud-auth/google.ts'
import type { ModelSettings } from '../core/codec.ts'
import { isObject } from '../core/json.ts'
import type { webSearch as anthropicSearch, codeExecution, webFetch } from '../formats/anthropic/hosted-tools.ts'
import type { googleSearch } from '../formats/gemini/hosted-tools.ts'
import type {
  codeInterpreter,
  fileSearch,
  imageGeneration,
  mcp,
  webSearch as responsesSearch,
} from '../formats/openai-responses/hosted-tools.ts'
import type { readJson } from '../gateway/body.ts'
import type { createGateway } from '../gateway/gateway.ts'
import type { mcpTools } from '../mcp.ts'
import type { countTokensApproximately } from '../messages/count-tokens-approximately.ts'
import type { filterMessages } from '../messages/filter-messages.ts'
import type { mergeRuns } from '../messages/merge-runs.ts'
import { messagesOf } from '../messages/message-like.ts'
import type { prettyPrint } from '../messages/pretty-print.ts'
import type { splitMessage } from '../messages/split-message.ts'
import type { trimMessages } from '../messages/trim-messages.ts'
import type { model } from '../models.ts'
import type { otelGateway } from '../otel/gateway.ts'
import type { otel } from '../otel/index.ts'
import type { agUi } from '../page/ag-ui.ts'
import type { readChatRequest } from '../page/chat-request.ts'
import type { answerKept, keepRun } from '../page/keep-run.ts'
import type { memoryLog } from '../page/memory-log.ts'
import type { ownData } from '../page/own-data.ts'
import type { pageEvents } from '../page/page-events.ts'
import type { readEvents } from '../page/read.ts'
import type { resuming } from '../page/resuming.ts'
import type { toResponse } from '../page/to-response.ts'
import type { uiMessages } from '../page/ui-messages.ts'
import type { costOf } from '../prices/cost.ts'
import type { openaiCompatible } from '../providers/openai-compatible.ts'
import type { remote } from '../remote/index.ts'
import type { workerSession } from '../remote/session.ts'
import type { safeUrl } from '../safe-url.ts'
import type { call } from '../test/answers.ts'
import type { conformance } from '../test/conformance.ts'
import type { mockModel } from '../test/mock-model.ts'
import type { runOf } from '../test/runs.ts'
import type { approval, signApproval } from '../tools/approval.ts'
import type { budget } from '../tools/budget.ts'
import type { AnySchema } from '../tools/definition.ts'
import type { invokeTool } from '../tools/run.ts'
import type { ToolSpec } from '../tools/tool.ts'
import type { Tool } from '../tools/types.ts'
import type { cache } from '../wraps/cache.ts'
import type { defaults } from '../wraps/defaults.ts'
import type { fallback } from '../wraps/fallback.ts'
import type { dropOldResults, keepFirst, summarise } from '../wraps/shorten.ts'

/**
 * For each option: the types that it accepts (`text`, `number`, `boolean`, `list`, `object`, `function`), or its words in quotes; empty for any
 * value. If the value must have fields or a method, a pair has the types, and then the forms of the fields or the name of the method. `*`
 * stands for every entry, and no entry may be absent. `...` permits other options.
 */
export interface Forms {
  readonly [option: string]: string | readonly [wanted: string, inside: Forms | string]
}

/** What a function takes at this place. */
type Of<Taker, At extends number> = Taker extends (...given: infer Given) => unknown ? NonNullable<Given[At]> : never

type NamesOf<Options> = Options extends unknown ? keyof Options : never

/** The forms of all options of a type: none may be forgotten. */
type FormsOf<Options> = { readonly [Name in NamesOf<Options>]-?: Forms[string] }

/** What a function takes. */
export interface Taken {
  /** What the function does, such as `make a tool`. */
  readonly attempt: string
  readonly forms: Forms
  /** Names that other libraries have for an option, by path, and ours. */
  readonly habits?: Readonly<Record<string, string>>
  /** Options that may not be absent. Empty: the options themselves may not. */
  readonly required?: readonly string[]
  /** Further rules. @throws {TypeError} */
  also?(given: unknown, about: unknown): void
}

const request: FormsOf<Of<typeof stream, 0>> = {
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
  data: ['what ownData() makes', 'weave'],
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
  onToolRequest: 'function',
  onToolResult: 'function',
  onWarning: 'function',
  beforeRound: 'function',
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

/** What a model gets of a request. */
const modelOptions: FormsOf<Of<typeof defaults, 0>> = {
  maxTokens: request.maxTokens,
  temperature: request.temperature,
  topP: request.topP,
  topK: request.topK,
  seed: request.seed,
  stop: request.stop,
  frequencyPenalty: request.frequencyPenalty,
  presencePenalty: request.presencePenalty,
  toolChoice: request.toolChoice,
  parallelToolCalls: request.parallelToolCalls,
  responseFormat: request.responseFormat,
  reasoning: request.reasoning,
  user: request.user,
  providerOptions: request.providerOptions,
  strict: request.strict,
}

/** What is common to the models of all providers. */
const settings: FormsOf<ModelSettings> = {
  apiKey: 'text or function',
  baseUrl: 'text',
  headers: ['object', { '*': 'text' }],
  body: 'object',
  fetch: 'function',
}

const { prompt: _prompt, approvals: _approvals, signal: _signal, ...chatRequest } = request
const { messages: _messages, ...transportRequest } = chatRequest
const {
  tools: _tools,
  toolChoice: _toolChoice,
  autoTools: _autoTools,
  responseFormat: _responseFormat,
  approvals: _decisions,
  ...objectRequest
} = request

const pageRules: FormsOf<Of<typeof pageEvents, 0>> = {
  reasoning: 'boolean',
  usage: 'boolean',
  model: 'boolean',
  warnings: '"major" or boolean',
  tools: '"all", "name", "hidden", "arguments" or object',
  serverTools: '"all", "name", "hidden" or "arguments"',
  url: 'function',
  error: 'function',
  filter: 'function',
}

/** What the tools that Anthropic runs have in common. */
const ofAnthropicTools = {
  allowedCallers: 'list',
  cacheHint: ['"ephemeral" or object', { ttl: '"5m" or "1h"' }],
  deferLoading: 'boolean',
  strict: 'boolean',
} as const

const userLocation = ['object', { city: 'text', region: 'text', country: 'text', timezone: 'text' }] as const

/** What a function of this type takes. */
function row<Options>(
  attempt: string,
  forms: FormsOf<Options>,
  { habits = {}, ...rules }: Omit<Taken, 'attempt' | 'forms'> = {},
): Taken {
  return { attempt, forms: forms as Forms, habits, ...rules }
}

/** @throws {TypeError} */
function checkAsked({ toolChoice: choice, maxRepeatedCalls: limit = 1 }: Partial<RunRequest>): void {
  if (isObject(choice) && !('name' in choice || 'names' in choice)) {
    throw new TypeError('Cannot ask: "toolChoice" is object; expected { name } or { names, mode }')
  }
  if (limit >= 1 && !(limit % 1 > 0)) return
  throw new TypeError(`Cannot ask: "maxRepeatedCalls" is ${limit}; expected a whole number from 1 on, or Infinity`)
}

/** @throws {TypeError} for a change without a message, and for a tool that was not given. */
function checkChanged({ messages, tools = [], ...changed }: RoundChange, given: readonly object[]): void {
  checkAsked(changed as Partial<RunRequest>)
  const fail = (finding: string) => {
    throw new TypeError(`Cannot use what beforeRound returned: ${finding}`)
  }
  if (messages?.length === 0) fail('"messages" is empty')
  try {
    messagesOf(messages ?? [])
  } catch (cause) {
    fail((cause as Error).message)
  }
  for (const name of tools) {
    const isKnown = given.some((tool) => 'name' in tool && tool.name === name)
    if (!isKnown) fail(`"tools" has "${name}", which is not the name of a tool`)
  }
}

const asked = { habits: requestHabits, also: checkAsked as NonNullable<Taken['also']> }

/** The functions that take options, by their names; `model` are the settings of all models. */
export const taken: Readonly<Record<string, Taken>> = {
  stream: row<Of<typeof stream, 0>>('ask', request, asked),
  generateObject: row<Of<typeof generateObject, 0> & Pick<RunRequest, 'tools' | 'toolChoice'>>(
    'ask',
    // A program may share its request with `stream`: tools are left out.
    {
      ...objectRequest,
      tools: '',
      toolChoice: '',
      schema: '',
      schemaName: 'text',
      schemaDescription: 'text',
      strictSchema: 'boolean',
    },
    asked,
  ),
  createChat: row<Of<typeof createChat, 0>>(
    'make a chat',
    { ...chatRequest, echo: '"none", "output" or "all"', write: 'function' },
    asked,
  ),
  modelTransport: row<Of<typeof modelTransport, 0>>('make a transport', transportRequest, asked),
  workerTransport: row<Of<typeof workerTransport, 0>>(
    'make a transport',
    { ...transportRequest, url: 'text', model: 'text', open: 'function', fetch: 'function' },
    asked,
  ),
  beforeRound: row<RoundChange>(
    'change a round',
    {
      ...modelOptions,
      model: ['what a function of a provider makes, such as openaiChat("gpt-5")', 'answer'],
      system: request.system,
      messages: 'list or iterable',
      tools: ['list', { '*': 'text' }],
      end: 'text',
    },
    { habits: requestHabits, also: checkChanged as NonNullable<Taken['also']> },
  ),
  defaults: row<Of<typeof defaults, 0>>('set options', modelOptions, asked),
  approval: row<Of<typeof approval, 0>>('ask for approval', {
    when: 'function',
    secret: '', // checked in production too
    decidedBy: '"page" or "server"',
  }),
  signApproval: row<Of<typeof signApproval, 1>>('sign a decision', {
    approved: 'boolean',
    reason: 'text',
    expiresAt: 'text',
  }),
  invokeTool: row<Of<typeof invokeTool, 2>>('run a call', {
    messages: 'list',
    signal: ['an AbortSignal', 'addEventListener'],
    progress: 'function',
    data: 'object',
    toolTimeoutMs: 'number',
    maxResultLength: 'number',
    maxResultMedia: 'number',
  }),
  // Options of a made tool, which a program may change: `tool({ ...pay, needsApproval })`.
  tool: row<ToolSpec<AnySchema> & Pick<Tool, 'run' | 'parse' | 'fromMcp'>>(
    'make a tool',
    {
      parameters: '',
      inputSchema: '',
      input_schema: '',
      execute: 'function',
      strict: 'boolean',
      name: '',
      description: 'text',
      annotations: 'object',
      metadata: 'object',
      providerData: 'object',
      convert: 'boolean',
      sequential: 'boolean',
      terminal: 'boolean',
      needsApproval: '', // checked in production too
      timeoutMs: 'number',
      run: ['what tool() makes; a function of your own is "execute"', 'checkApproval'],
      parse: 'function',
      fromMcp: '',
    },
    {
      habits: {
        schema: 'parameters',
        args: 'parameters',
        params: 'parameters',
        argsSchema: 'parameters',
        function: 'execute',
        exec: 'execute',
        invoke: 'execute',
        func: 'execute',
        fn: 'execute',
        handler: 'execute',
        toModelOutput: 'convert',
      },
    },
  ),
  budget: row<Of<typeof budget, 0>>(
    'make a budget',
    {
      maxToolCalls: 'number',
      maxTokens: 'number',
      maxTimeMs: 'number',
    },
    { required: [] },
  ),
  splitMessage: row<Of<typeof splitMessage, 1>>('split a message', {
    delimiter: 'text',
    maxTokens: 'number',
    countTokens: 'function',
  }),
  countTokensApproximately: row<Of<typeof countTokensApproximately, 1>>('count tokens', {
    charactersPerToken: 'number',
    tokensPerMessage: 'number',
    tokensPerImage: 'number',
    countNames: 'boolean',
    tools: 'list',
    scaleByUsage: 'boolean',
  }),
  filterMessages: row<Of<typeof filterMessages, 1>>(
    'filter messages',
    {
      includeNames: ['list', { '*': 'text' }],
      excludeNames: ['list', { '*': 'text' }],
      includeRoles: 'list',
      excludeRoles: 'list',
      includeIds: ['list', { '*': 'text' }],
      excludeIds: ['list', { '*': 'text' }],
      excludeToolCalls: ['boolean or list', { '*': 'text' }],
    },
    { required: [] },
  ),
  trimMessages: row<Of<typeof trimMessages, 1>>(
    'trim messages',
    {
      maxTokens: 'number',
      strategy: '"last" or "first"',
      countTokens: 'function',
      keepInstructions: 'boolean',
      keepFirstUser: 'boolean',
      startOn: '"user", "system", "developer", "assistant", "tool" or list',
      endOn: '"user", "system", "developer", "assistant", "tool" or list',
      allowPartial: 'boolean',
    },
    { required: ['maxTokens'] },
  ),
  mergeRuns: row<Of<typeof mergeRuns, 1>>('merge messages', { separator: 'text' }),
  prettyPrint: row<Of<typeof prettyPrint, 1>>('print messages', { format: '"text" or "xml"' }),
  createGateway: row<Of<typeof createGateway, 0>>(
    'make a gateway',
    {
      formats: '', // checked in production too
      models: 'object or function',
      authorize: 'function',
      check: 'function',
      admit: 'function',
      onUsage: 'function',
      onEnd: 'function',
      observers: 'list',
      origins: ['"*" or list', { '*': 'text' }],
      basePath: 'text',
      limits: [
        'object',
        {
          maxBodyBytes: 'number',
          maxDepth: 'number',
          maxValues: 'number',
          bodyTimeoutMs: 'number',
          maxAnswerBytes: 'number',
          maxEventBytes: 'number',
          timeouts: ['object', { firstByteMs: 'number', idleMs: 'number', totalMs: 'number' }],
          firstContentMs: 'number',
          commitMs: 'number',
          wholeCommitMs: 'number',
          keepAliveMs: 'number',
        },
      ],
      wholeAnswers: '"stream" or "whole"',
      showsProviderMessages: 'boolean',
      strict: 'boolean or function',
    },
    { habits: { providers: 'models', cors: 'origins' } },
  ),
  readJson: row<Of<typeof readJson, 1>>('read a request', {
    maxBodyBytes: 'number',
    bodyTimeoutMs: 'number',
    maxDepth: 'number',
    maxValues: 'number',
  }),
  model: row<Of<typeof model, 1>>(
    'make a model',
    {
      ...settings,
      provider: 'text',
      version: '"2023-06-01" or "2026-10-21"',
      browser: 'boolean',
      beta: ['list', { '*': 'text' }],
      maxTokens: 'number',
      unsignedThinking: 'boolean',
      lateInstructions: '"inline" or "hoist"',
      resource: 'text',
      apiVersion: 'text',
      keyHeader: '"api-key" or "authorization"',
      region: 'text',
      developer: '"user" or "system"',
      project: 'text',
      location: 'text',
      gateway: 'text',
      aws: 'object',
      accountId: 'text',
    },
    {
      habits: {
        apiUrl: 'baseUrl',
        endpoint: 'baseUrl',
        url: 'baseUrl',
        defaultHeaders: 'headers',
        key: 'apiKey',
        token: 'apiKey',
        dangerouslyAllowBrowser: 'browser',
      },
    },
  ),
  openaiCompatible: row<Of<typeof openaiCompatible, 0>>('call openaiCompatible({ baseUrl })', {
    ...settings,
    provider: 'text',
    title: 'text',
    path: 'text',
    keyHeader: '"api-key" or "authorization"',
    idPrefix: 'text',
    maxTokensField: '"max_completion_tokens" or "max_tokens"',
    refuses: 'iterable',
    renames: 'object',
    asksForUsage: 'boolean',
    jsonSchema: 'boolean',
    maxStops: 'number',
    developerRole: '"system" or "developer"',
    textParts: 'boolean',
    order: 'object',
    bridgesResults: 'boolean',
    cacheField: '"prompt_cache_breakpoint" or "cache_control"',
    mediaUrls: 'iterable',
    textOnly: 'boolean',
    inlineImages: 'boolean',
    encodeFile: 'function',
    encodeAudio: 'function',
    withoutTools: 'function',
    chooseTools: 'function',
    customTools: 'boolean',
    strict: 'function',
    schemas: 'object',
    resultName: 'boolean',
    callId: ['object', { pattern: 'object', maxLength: 'number' }],
    askReasoning: 'function',
    efforts: 'list or function',
    reasons: 'function',
    whileReasoning: ['object', { refuses: 'iterable', refusesForcedCalls: 'boolean' }],
    reasoningFields: ['list', { '*': 'text' }],
    replay: 'object',
    readPart: 'function',
    sourcesIn: 'function',
    stopReasons: 'object',
    endsWithoutReason: 'boolean',
    unsupported: 'list',
    countsReasoningApart: 'boolean',
    errors: ['object', { kinds: 'object', statuses: 'object', emptyStatuses: 'object' }],
    adapt: 'function',
    adaptAnswer: 'function',
  }),
  mcpTools: row<Of<typeof mcpTools, 1>>(
    'list the tools',
    {
      prefix: 'text',
      only: ['list', { '*': 'text' }],
      signal: ['an AbortSignal', 'addEventListener'],
      maxTools: 'number',
      sequential: 'boolean',
      needsApproval: ['what approval() makes', 'consent'],
      timeoutMs: 'number',
    },
    { habits: { filter: 'only', include: 'only' } },
  ),
  readChatRequest: row<Of<typeof readChatRequest, 1>>('read the request of the page', {
    roles: 'list',
    maxBytes: 'number',
    pageTools: ['list', { '*': 'text' }],
    history: 'function',
  }),
  answerKept: row<Of<typeof answerKept, 2>>('answer', { heartbeatMs: 'number', name: 'text' }),
  keepRun: row<Of<typeof keepRun, 2>>('keep the run', {
    headers: 'object or list or iterable',
    page: ['object', pageRules],
    heartbeatMs: 'number',
    onEnd: 'function',
    seal: 'function',
    waitUntil: 'function',
    as: 'function',
    name: 'text',
  }),
  memoryLog: row<Of<typeof memoryLog, 0>>('keep runs', { ttlMs: 'number', maxLength: 'number' }),
  pageEvents: row<Of<typeof pageEvents, 0>>('write events for a page', pageRules),
  toResponse: row<Of<typeof toResponse, 1>>(
    'answer',
    {
      as: '"text", "events" or function',
      page: ['object', pageRules],
      heartbeatMs: 'number',
      headers: 'object or list or iterable',
      onEnd: 'function',
      seal: 'function',
      waitUntil: 'function',
    },
    { habits: { format: 'as', encoder: 'as' } },
  ),
  readEvents: row<Of<typeof readEvents, 1>>('read the answer', {
    signal: ['an AbortSignal', 'addEventListener'],
    idleMs: 'number',
    maxEventBytes: 'number',
    resume: 'object',
    streamId: 'text',
  }),
  resuming: row<Of<typeof resuming, 0>>('resume', { url: 'text', headers: 'function', fetch: 'function' }),
  uiMessages: row<Of<typeof uiMessages, 0>>('write UI messages', { messageId: 'text' }),
  agUi: row<Of<typeof agUi, 0>>('write AG-UI events', { threadId: 'text', runId: 'text' }),
  fetchTransport: row<Of<typeof fetchTransport, 0>>(
    'make a transport',
    {
      url: 'text',
      headers: 'object or list or iterable or function',
      body: 'object',
      credentials: '"include", "omit" or "same-origin"',
      fetch: 'function',
      history: '"server", "sealed" or "open"',
      resume: 'function',
    },
    { habits: { api: 'url', endpoint: 'url' } },
  ),
  toBlock: row<Of<typeof toBlock, 1>>('read a file', {
    upload: 'function',
    signal: ['an AbortSignal', 'addEventListener'],
  }),
  createChatStore: row<Of<typeof createChatStore, 0>>(
    'make a chat',
    {
      transport: ['what fetchTransport() makes', 'send'],
      id: 'text',
      messages: 'list',
      tools: 'list',
      throttleMs: 'number',
      whenBusy: '"queue", "reject" or "interrupt"',
      persist: ['what localPersist() makes', 'load'],
      files: [
        'object',
        { maxBytes: 'number', maxFiles: 'number', accept: ['list', { '*': 'text' }], upload: 'function' },
      ],
      newId: 'function',
      onEvent: 'function',
      onFinish: 'function',
      onError: 'function',
    },
    {
      habits: {
        api: 'transport',
        initialMessages: 'messages',
        onToolCall: 'tools',
        storage: 'persist',
        experimentalThrottle: 'throttleMs',
      },
    },
  ),
  ownData: row<NonNullable<Of<typeof ownData, 0>>>(
    'make own data',
    { onResult: 'function' },
    { habits: { onEnd: 'onResult', onFinish: 'onResult' } },
  ),
  createObjectStore: row<Of<typeof createObjectStore, 0>>(
    'make a store of a value',
    { schema: '', ask: 'function', initialValue: '', throttleMs: 'number', onFinish: 'function' },
    { required: ['schema', 'ask'], habits: { api: 'ask', onError: 'onFinish', fetch: 'ask' } },
  ),
  entraClient: row<Of<typeof entraClient, 0>>('get a token', {
    tenant: 'text',
    clientId: 'text',
    clientSecret: 'text',
    scope: 'text',
    authority: 'text',
    fetch: 'function',
  }),
  googleServiceAccount: row<Of<typeof googleServiceAccount, 1>>('get a token', {
    scopes: ['list', { '*': 'text' }],
    fetch: 'function',
  }),
  safeUrl: row<Of<typeof safeUrl, 2>>('check a URL', {
    links: ['"none", "all" or list', { '*': 'text' }],
    images: ['"none", "same-origin" or list', { '*': 'text' }],
    base: 'text',
    maxLength: 'number',
  }),
  costOf: row<Of<typeof costOf, 2>>('compute a cost', {
    prices: 'object',
    mode: '"batch", "flex" or "priority"',
    at: 'object',
  }),
  cache: row<Of<typeof cache, 1>>('keep answers', { key: 'function' }),
  fallback: row<Of<typeof fallback, 1>>('fall back', { when: 'function' }),
  dropOldResults: row<Of<typeof dropOldResults, 0>>(
    'shorten a conversation',
    { keep: 'number' },
    { required: ['keep'] },
  ),
  keepFirst: row<Of<typeof keepFirst, 0>>('shorten a conversation', { over: 'number' }, { required: ['over'] }),
  summarise: row<Of<typeof summarise, 0>>(
    'shorten a conversation',
    {
      model: 'object',
      over: 'number',
      instruction: 'text',
    },
    { required: ['over'] },
  ),
  otel: row<Of<typeof otel, 0>>('observe', {
    tracer: 'object',
    meter: 'object',
    content: 'boolean or function',
    maxContentLength: 'number',
    agentName: 'text',
    conversationId: 'text',
    parent: 'object',
    names: '"v1.41", "latest" or "both"',
    attributes: 'function',
  }),
  otelGateway: row<Of<typeof otelGateway, 0>>('observe', {
    parent: 'function',
    names: '"v1.41", "latest" or "both"',
    tracer: 'object',
    meter: 'object',
  }),
  call: row<Of<typeof call, 2>>('make a call', { id: 'text', rawText: 'text' }),
  conformance: row<Of<typeof conformance, 1>>(
    'test the codec',
    {
      model: 'text',
      streams: 'object',
      answers: 'object',
      errors: 'list',
      conversations: 'object',
      refusals: 'function',
      server: 'object',
    },
    { required: ['model', 'streams'] },
  ),
  mockModel: row<Of<typeof mockModel, 1>>('make a mock', {
    format: '',
    chunk: '"event" or number',
    delayMs: 'number',
  }),
  runOf: row<Of<typeof runOf, 1>>('make a run', { error: '', delayMs: 'number' }),
  remote: row<Of<typeof remote, 1>>('make a remote model', {
    url: 'text',
    session: 'function',
    headers: 'object',
    fetch: 'function',
  }),
  workerSession: row<Of<typeof workerSession, 1>>('open a session', { open: 'function', fetch: 'function' }),
  browserModel: row<Of<typeof browserModel, 0>>('make a model', {
    onDownload: 'function',
    languageModel: 'object',
    expectedInputs: 'list',
    expectedOutputs: 'list',
  }),
  codeInterpreter: row<Of<typeof codeInterpreter, 0>>('make a hosted tool', {
    container: [
      'text or object',
      {
        fileIds: ['list', { '*': 'text' }],
        memoryLimit: '"1g", "4g", "16g" or "64g"',
        network: ['"disabled" or object', { allowedDomains: ['list', { '*': 'text' }], domainSecrets: 'list' }],
      },
    ],
  }),
  fileSearch: row<Of<typeof fileSearch, 0>>('make a hosted tool', {
    vectorStoreIds: ['list', { '*': 'text' }],
    filters: 'object',
    maxResults: 'number',
    ranking: [
      'object',
      {
        ranker: '"auto" or "default-2024-11-15"',
        scoreThreshold: 'number',
        hybridSearch: ['object', { embeddingWeight: 'number', textWeight: 'number' }],
      },
    ],
  }),
  imageGeneration: row<Of<typeof imageGeneration, 0>>('make a hosted tool', {
    action: '"auto", "generate" or "edit"',
    background: '"auto", "transparent" or "opaque"',
    complexity: '"low", "medium" or "high"',
    frameCount: 'number',
    frameDurationMs: 'number',
    inputFidelity: '"low" or "high"',
    mask: ['object', { fileId: 'text', imageUrl: 'text' }],
    model: 'text',
    moderation: '"low" or "auto"',
    outputCompression: 'number',
    outputFormat: '"png", "webp", "jpeg", "gif" or "svg"',
    partialImages: 'number',
    quality: '"low", "medium", "high", "xhigh", "max" or "auto"',
    size: 'text',
    svg: ['object', { model: 'text', reasoningEffort: '"none", "minimal", "low", "medium", "high", "xhigh" or "max"' }],
  }),
  mcp: row<Of<typeof mcp, 0>>('make a hosted tool', {
    serverUrl: 'text',
    tunnelId: 'text',
    serverLabel: 'text',
    serverDescription: 'text',
    allowedTools: ['list or object', { readOnly: 'boolean', toolNames: ['list', { '*': 'text' }] }],
    authorization: 'text',
    headers: 'object',
    requireApproval: [
      '"always", "never" or object',
      {
        always: ['object', { readOnly: 'boolean', toolNames: ['list', { '*': 'text' }] }],
        never: ['object', { readOnly: 'boolean', toolNames: ['list', { '*': 'text' }] }],
      },
    ],
    allowedCallers: 'list',
    deferLoading: 'boolean',
  }),
  responsesWebSearch: row<Of<typeof responsesSearch, 0>>('make a hosted tool', {
    allowedDomains: ['list', { '*': 'text' }],
    externalWebAccess: 'boolean',
    searchContextSize: '"low", "medium" or "high"',
    userLocation,
    version: '"2025_08_26"',
  }),
  codeExecution: row<Of<typeof codeExecution, 0>>('make a hosted tool', {
    version: '"20250522", "20250825", "20260120" or "20260521"',
    ...ofAnthropicTools,
  }),
  webFetch: row<Of<typeof webFetch, 0>>('make a hosted tool', {
    ...ofAnthropicTools,
    allowedDomains: ['list', { '*': 'text' }],
    blockedDomains: ['list', { '*': 'text' }],
    citations: 'boolean',
    maxContentTokens: 'number',
    maxUses: 'number',
    urlSources: [
      'object',
      {
        userInput: '"none" or "all"',
        clientToolResults: [
          '"none", "all" or object',
          { except: ['list', { '*': 'text' }], only: ['list', { '*': 'text' }] },
        ],
        serverToolResults: [
          '"none", "all" or object',
          { except: ['list', { '*': 'text' }], only: ['list', { '*': 'text' }] },
        ],
      },
    ],
    version: '"20250910", "20260209", "20260309" or "20260318"',
    useCache: 'boolean',
    responseInclusion: '"full" or "excluded"',
  }),
  anthropicWebSearch: row<Of<typeof anthropicSearch, 0>>('make a hosted tool', {
    ...ofAnthropicTools,
    allowedDomains: ['list', { '*': 'text' }],
    blockedDomains: ['list', { '*': 'text' }],
    maxUses: 'number',
    userLocation,
    version: '"20250305", "20260209" or "20260318"',
    responseInclusion: '"full" or "excluded"',
  }),
  googleSearch: row<Of<typeof googleSearch, 0>>('make a hosted tool', {
    blockedDomains: ['list', { '*': 'text' }],
    blockingConfidence:
      '"BLOCK_LOW_AND_ABOVE", "BLOCK_MEDIUM_AND_ABOVE", "BLOCK_HIGH_AND_ABOVE", "BLOCK_HIGHER_AND_ABOVE", "BLOCK_VERY_HIGH_AND_ABOVE" or "BLOCK_ONLY_EXTREMELY_HIGH"',
    searchTypes: 'list',
    timeRange: ['object', { start: 'text', end: 'text' }],
  }),
}

const ofResult = (field: string) => `(await run.response).${field}`

/** What other libraries have on a run, and how to read it here. */
export const reads: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  run: {
    textStream: 'for await (const text of run.text())',
    fullStream: 'for await (const event of run)',
    toDataStreamResponse: 'toResponse(run) of isoglot/response',
    toTextStreamResponse: "toResponse(run, { as: 'text' }) of isoglot/response",
    toUIMessageStreamResponse: 'toResponse(run, { as: uiMessages() })',
    message: ofResult('message'),
    content: ofResult('message.content'),
    toolCalls: ofResult('message'),
    usage: ofResult('usage'),
    finishReason: ofResult('stopReason'),
    outcome: ofResult('outcome'),
    warnings: ofResult('warnings'),
  },
  'object run': {
    partialObjectStream: 'for await (const part of run)',
    partialOutputStream: 'for await (const part of run)',
    textStream: 'for await (const part of run)',
    object: ofResult('object'),
    usage: ofResult('usage'),
  },
}
