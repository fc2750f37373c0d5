/**
 * A wrong word is an error. Every public function that takes options refuses an option that does not exist and names the nearest one, and
 * refuses a value of another type. The functions are those that the compiler finds behind the public paths: none can be forgotten.
 */
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { publicPaths } from '../../scripts/built-files.mjs'
import { type Forms, taken } from '../../src/checks/forms.ts'
import { check } from '../../src/checks/index.ts'
import { turnOnChecks } from '../../src/core/checks.ts'
import { message, stream, t, tool } from '../../src/index.ts'
import { memoryLog } from '../../src/page/memory-log.ts'
import { mockModel } from '../../src/test/index.ts'
import { inTurn } from '../support/cuts.ts'
import { programOf } from '../support/declarations.ts'

const root = join(import.meta.dirname, '..', '..')

/** What gives options their meaning: types with one of these names, and types without a name. */
const optionTypes =
  /(?:Options|Settings|Spec|Limits|Policy|Rules|Request|Server|By|Parts)$|^\{ |^(?:Pick|Omit|Partial)</

/** Types that look like options and are data, and what a codec gets from the client: plain data that the client has checked. */
const data =
  /^(?:Rules|ContextParts|Omit<Context|Request\b|MockRequest|(?:Encode|Decode)\w*Options|CodecOptions|AssembleOptions|PrepareOptions|GatewayRules)/

/** A function of a public path, with its parameters that take options. */
interface Taker {
  readonly path: string
  readonly name: string
  readonly types: readonly string[]
}

function takers(): readonly Taker[] {
  const paths = Object.entries(publicPaths(root)).map(([path, file]) => [path, join(root, file)] as const)
  const { options: given } = ts.getParsedCommandLineOfConfigFile(
    join(root, 'tsconfig.json'),
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {}, readDirectory: () => [] },
  ) as ts.ParsedCommandLine
  const program = programOf(
    root,
    paths.map(([, file]) => file),
    given,
  )
  const checker = program.getTypeChecker()
  const found: Taker[] = []
  const seen = new Set<ts.Symbol>()
  for (const [path, file] of paths) {
    const source = program.getSourceFile(file)
    const module = source && checker.getSymbolAtLocation(source)
    for (const exported of module ? checker.getExportsOfModule(module) : []) {
      const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0
      const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported
      const { valueDeclaration: place } = symbol
      if (place === undefined || seen.has(symbol)) continue
      seen.add(symbol)
      const signatures = checker.getTypeOfSymbolAtLocation(symbol, place).getCallSignatures()
      const types = signatures.flatMap((signature) =>
        signature.getParameters().flatMap((parameter) => {
          const type = checker.getNonNullableType(checker.getTypeOfSymbolAtLocation(parameter, place))
          const own = type.symbol?.declarations?.[0]?.getSourceFile().fileName ?? root
          const isOurs = own.startsWith(join(root, 'src')) || type.symbol === undefined || type.symbol.name === '__type'
          const name = checker.typeToString(type).replace(/<.*>/s, (all) => (type.aliasSymbol ? '' : all))
          const isOptions = optionTypes.test(name.replace(/(\w)<.*$/s, '$1')) || optionTypes.test(name)
          return isOurs && isOptions && !data.test(name) && type.getCallSignatures().length === 0 ? [name] : []
        }),
      )
      if (types.length > 0) found.push({ path, name: symbol.name, types })
    }
  }
  return found
}

// ---- calls --------------------------------------------------------------------------------------

type Take = (options: object) => unknown

const model = mockModel(['Hello'])
const user = [message.user('Hello')]
const run = () => stream({ model, prompt: 'Hello' })
const store = { get: async () => undefined, set: async () => {} }
const transport = { send: () => (async function* () {})() }

/** How each function is called; the base is what it cannot do without. By path where two functions have one name. */
const calls: Readonly<
  Record<string, readonly [row: string, base: object, take: (lib: Library, options: never) => unknown]>
> = {
  generate: ['stream', { model, prompt: 'Hello' }, (lib, options) => lib.generate?.(options)],
  stream: ['stream', { model, prompt: 'Hello' }, (lib, options) => lib.stream?.(options)?.response],
  generateObject: [
    'generateObject',
    { model, prompt: 'Hello', schema: t.string() },
    (lib, o) => lib.generateObject?.(o),
  ],
  streamObject: [
    'generateObject',
    { model, prompt: 'Hello', schema: t.string() },
    (lib, o) => lib.streamObject?.(o)?.response,
  ],
  createChat: ['createChat', { model }, (lib, options) => lib.createChat?.(options)],
  tool: ['tool', { name: 'pay', execute: () => '' }, (lib, options) => lib.tool?.(options)],
  approval: ['approval', {}, (lib, options) => lib.approval?.(options)],
  signApproval: ['signApproval', { approved: true }, (lib, o) => lib.signApproval?.(callOf('pay'), o, 's'.repeat(32))],
  invokeTool: [
    'invokeTool',
    {},
    (lib, options) =>
      lib.invokeTool?.(callOf('pay'), new Map([['pay', tool({ name: 'pay', execute: () => '' })]]), options),
  ],
  budget: ['budget', {}, (lib, options) => lib.budget?.(options)],
  splitMessage: ['splitMessage', {}, (lib, options) => lib.splitMessage?.(message.user('Hello'), options)],
  countTokensApproximately: ['countTokensApproximately', {}, (lib, o) => lib.countTokensApproximately?.(user, o)],
  filterMessages: ['filterMessages', {}, (lib, options) => lib.filterMessages?.(user, options)],
  trimMessages: ['trimMessages', { maxTokens: 10 }, (lib, options) => lib.trimMessages?.(user, options)],
  mergeRuns: ['mergeRuns', {}, (lib, options) => lib.mergeRuns?.(user, options)],
  prettyPrint: ['prettyPrint', {}, (lib, options) => lib.prettyPrint?.(user, options)],
  createGateway: ['createGateway', { formats: [], models: {} }, (lib, options) => lib.createGateway?.(options)],
  readJson: ['readJson', {}, (lib, options) => lib.readJson?.(jsonRequest(), options)],
  model: ['model', { baseUrl: 'https://x.invalid' }, (lib, options) => lib.model?.('openai:gpt-5', options)],
  openaiCompatible: ['openaiCompatible', { baseUrl: 'https://x.invalid' }, (lib, o) => lib.openaiCompatible?.(o)],
  workersAi: ['model', {}, (lib, options) => lib.workersAi?.({ accountId: 'a', apiToken: 'b' }, 'm', options)],
  mcpTools: [
    'mcpTools',
    {},
    (lib, options) => lib.mcpTools?.({ listTools: async () => ({ tools: [] }), callTool: async () => ({}) }, options),
  ],
  readChatRequest: [
    'readChatRequest',
    { roles: ['user'] },
    (lib, options) => lib.readChatRequest?.(pageRequest(), options),
  ],
  answerKept: [
    'answerKept',
    {},
    (lib, options) => lib.answerKept?.(new Request('https://x.invalid'), memoryLog(), options),
  ],
  keepRun: ['keepRun', {}, (lib, options) => lib.keepRun?.(run(), memoryLog(), options)],
  ownData: ['ownData', {}, (lib, options) => lib.ownData?.(options)],
  memoryLog: ['memoryLog', {}, (lib, options) => lib.memoryLog?.(options)],
  pageEvents: ['pageEvents', {}, (lib, options) => lib.pageEvents?.(options)],
  toResponse: ['toResponse', {}, (lib, options) => lib.toResponse?.(run(), options)],
  readEvents: ['readEvents', {}, (lib, options) => lib.readEvents?.(new Response(''), options)],
  resuming: ['resuming', {}, (lib, options) => lib.resuming?.(options)],
  uiMessages: ['uiMessages', {}, (lib, options) => lib.uiMessages?.(options)],
  agUi: ['agUi', { threadId: 'a', runId: 'b' }, (lib, options) => lib.agUi?.(options)],
  fetchTransport: ['fetchTransport', {}, (lib, options) => lib.fetchTransport?.(options)],
  toBlock: ['toBlock', {}, (lib, options) => lib.toBlock?.(new Blob(['a'], { type: 'image/png' }), options)],
  createChatStore: ['createChatStore', { transport }, (lib, options) => lib.createChatStore?.(options)],
  createObjectStore: [
    'createObjectStore',
    { schema: t.string(), ask: () => undefined },
    (lib, options) => lib.createObjectStore?.(options),
  ],
  modelTransport: ['modelTransport', { model }, (lib, options) => lib.modelTransport?.(options)],
  workerTransport: [
    'workerTransport',
    { url: '/', model: 'openai:m' },
    (lib, options) => lib.workerTransport?.(options),
  ],
  entraClient: [
    'entraClient',
    { tenant: 'a', clientId: 'b', clientSecret: 'c', scope: 'd' },
    (lib, options) => lib.entraClient?.(options),
  ],
  googleServiceAccount: [
    'googleServiceAccount',
    {},
    (lib, options) => lib.googleServiceAccount?.({ client_email: 'a', private_key: 'b' }, options),
  ],
  safeUrl: ['safeUrl', {}, (lib, options) => lib.safeUrl?.('https://x.invalid', 'link', options)],
  costOf: ['costOf', {}, (lib, options) => lib.costOf?.({}, 'openai:gpt-5', options)],
  costOfRun: ['costOf', {}, (lib, options) => lib.costOfRun?.({ responses: [] }, options)],
  cache: ['cache', {}, (lib, options) => lib.cache?.(store, options)],
  defaults: ['defaults', {}, (lib, options) => lib.defaults?.(options)],
  fallback: ['fallback', {}, (lib, options) => lib.fallback?.([model], options)],
  dropOldResults: ['dropOldResults', { keep: 1 }, (lib, options) => lib.dropOldResults?.(options)],
  keepFirst: ['keepFirst', { over: 1 }, (lib, options) => lib.keepFirst?.(options)],
  summarise: ['summarise', { model, over: 1 }, (lib, options) => lib.summarise?.(options)],
  otel: ['otel', { tracer: { startSpan: () => ({}) } }, (lib, options) => lib.otel?.(options)],
  otelGateway: ['otelGateway', { tracer: { startSpan: () => ({}) } }, (lib, options) => lib.otelGateway?.(options)],
  call: ['call', {}, (lib, options) => lib.call?.('pay', {}, options)],
  mockModel: ['mockModel', {}, (lib, options) => lib.mockModel?.([], options)],
  runOf: ['runOf', {}, (lib, options) => lib.runOf?.([], options)],
  remote: ['remote', { url: 'https://x.invalid/answer' }, (lib, options) => lib.remote?.('openai:m', options)],
  workerSession: ['workerSession', {}, (lib, options) => lib.workerSession?.('https://x.invalid', options)],
  browserModel: ['browserModel', {}, (lib, options) => lib.browserModel?.(options)],
  codeInterpreter: ['codeInterpreter', {}, (lib, options) => lib.codeInterpreter?.(options)],
  fileSearch: ['fileSearch', { vectorStoreIds: ['a'] }, (lib, options) => lib.fileSearch?.(options)],
  imageGeneration: ['imageGeneration', {}, (lib, options) => lib.imageGeneration?.(options)],
  mcp: ['mcp', { serverUrl: 'https://x.invalid', serverLabel: 'a' }, (lib, options) => lib.mcp?.(options)],
  'openai-responses.webSearch': ['responsesWebSearch', {}, (lib, options) => lib.webSearch?.(options)],
  'anthropic.webSearch': ['anthropicWebSearch', {}, (lib, options) => lib.webSearch?.(options)],
  codeExecution: ['codeExecution', {}, (lib, options) => lib.codeExecution?.(options)],
  webFetch: ['webFetch', {}, (lib, options) => lib.webFetch?.(options)],
  googleSearch: ['googleSearch', {}, (lib, options) => lib.googleSearch?.(options)],
}

/** What the functions of models cannot do without. */
const place = { resource: 'a', region: 'us-east-1', project: 'a', location: 'global' }

/** Functions without a call here, and why. */
const others: Readonly<Record<string, string>> = {
  createWorker: 'its options have a schema, in production too: test/worker/create.test.ts',
  chatModel: 'like its models',
  responsesModel: 'like its models',
  useChat: 'gives its options to createChatStore',
  useObject: 'gives its options to createObjectStore',
  createContext: 'a conversation is data',
  keptRuns: 'for transports of frameworks, and gets the options of one',
  encodeRequest: 'gets what the client has checked',
  httpModel: 'for the functions of providers, which check their settings',
  decodeNdjson: 'a part of a codec: gets an option that the client has checked',
  decodeSse: 'a part of a codec: gets an option that the client has checked',
  ...Object.fromEntries(
    ['byDefault', 'byEffort', 'byEnableThinking', 'byReasoning', 'byTemplate', 'byThinking', 'notAsked'].map((name) => [
      name,
      'a part of a dialect: gets an option that the client has checked',
    ]),
  ),
}

/** The functions of a module. */
type Library = Readonly<Record<string, (...given: unknown[]) => { readonly response: unknown } | undefined>>

const load = (path: string): Promise<Library> => import(join(root, publicPaths(root)[path] as string))

function callOf(name: string): object {
  return { type: 'tool_call', id: 'a', name, arguments: {}, argumentsText: '{}', index: 0 }
}

function jsonRequest(): Request {
  return new Request('https://x.invalid', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
}

function pageRequest(): Request {
  const body = JSON.stringify({ id: 'a', messages: user })
  return new Request('https://x.invalid', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
}

/** The error of a call, or what became of it. */
async function outcome(take: Take, options: object): Promise<unknown> {
  try {
    await take(options)
    return 'no error'
  } catch (error) {
    return error
  }
}

/** Wrong spellings of a name: a letter is missing, or two are exchanged, or the words are joined with `_`. */
function typosOf(name: string): readonly string[] {
  const middle = Math.floor(name.length / 2)
  const short = name.slice(0, middle) + name.slice(middle + 1)
  const swapped = name.slice(0, middle - 1) + name[middle] + name[middle - 1] + name.slice(middle + 1)
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return [short, swapped, snake, name.toUpperCase()]
}

const found = takers()

it('finds the functions', () => {
  const unknown = found.flatMap(({ path, name, types }) => {
    const isKnown = name in calls || `${path}.${name}` in calls || name in others || isModel(path, types)
    return isKnown ? [] : [`${path}: ${name}(${types.join()})`]
  })
  expect(unknown).toEqual([])
  expect(found.length).toBeGreaterThan(90)
})

/** Whether the function makes a model of a provider. */
function isModel(path: string, types: readonly string[]): boolean {
  return (
    path !== 'models' &&
    types.some((type) => /^(?:Model|\w+)Settings$/.test(type)) &&
    !/^(?:chat|chat-model|remote|browser-model|cloud-auth)$/.test(path)
  )
}

describe.each(found.filter(({ name }) => !(name in others)))('$name of $path', ({ path, name }) => {
  const settings = ['model', place, (lib: Library, options: never) => lib[name]?.('m', options)] as const
  const [row, base, call] = calls[`${path}.${name}`] ?? calls[name] ?? settings
  const task = taken[row] as (typeof taken)[string]
  const take = async (options: object) => {
    const lib = await load(path)
    return call(lib, options as never)
  }

  it('takes what it cannot do without', async () => {
    const error = await outcome(take, base)
    expect(error instanceof TypeError && /there is no "/.test(error.message), String(error)).toBe(false)
  })

  it('refuses a wrong word, and names the right one', async () => {
    const names = Object.keys(task.forms).filter((one) => one !== '...')
    for (const [at, right] of names.entries()) {
      for (const typo of inTurn(typosOf(right), 12, at)) {
        if (typo in task.forms || typo in base) continue
        const error = await outcome(take, { ...base, [typo]: anyOf(task.forms[right] ?? '') })
        expect(error, `${typo} for ${right}`).toBeInstanceOf(TypeError)
        expect((error as Error).message, right).toContain(`"${typo}"`)
        if (typo.length > 3) expect((error as Error).message.toLowerCase(), typo).toContain('; write ')
      }
    }
    expect(String(await outcome(take, { ...base, qqqqqqqqqq: 1 }))).toContain('there is no "qqqqqqqqqq"')
  })

  it('refuses a value of another type, and names the option', async () => {
    for (const [option, form] of Object.entries(task.forms)) {
      if (form === '' || option === '...') continue
      const error = await outcome(take, { ...base, [option]: 1n })
      expect(error, option).toBeInstanceOf(TypeError)
      expect((error as Error).message, option).toContain(option)
      expect((error as Error).message, option).not.toMatch(/Cannot read prop|is not a function|is not iterable|BigInt/)
    }
  })
})

/** A value of a form: any one, since a wrong name is found first. */
function anyOf(form: Forms[string]): unknown {
  const [wanted] = typeof form === 'string' ? [form] : form
  return /number/.test(wanted) ? 1 : /function/.test(wanted) ? () => {} : /list/.test(wanted) ? [] : 'text'
}

it('checks consent in a bundle for production, and nothing else', () => {
  turnOnChecks(undefined)
  try {
    expect(() => tool({ name: 'pay', exceute: () => '' } as never)).not.toThrow()
    expect(() => tool({ name: 'pay', needsAproval: {}, execute: () => '' } as never)).toThrow('write needsApproval')
  } finally {
    turnOnChecks(check)
  }
})
