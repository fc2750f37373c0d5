/**
 * Scenarios of a program with the client, by name: plain data in, plain data out, and nothing but the client between. The same runs in Node
 * and, bundled, in workerd; the provider's answers and the expected values stay with the tests.
 */

import type { AssistantMessage, Message, ToolCall } from '../../src/core/messages.ts'
import {
  type Approval,
  approval,
  generate,
  invokeTool,
  memoryCallLog,
  type Run,
  type RunRequest,
  type RunResult,
  signApproval,
  stream,
  t,
  tool,
  toToolMessage,
} from '../../src/index.ts'
import { wires } from '../support/wires.ts'

/** The part of a request that is data. */
export type Order = Pick<RunRequest, 'prompt' | 'messages' | 'tools' | 'autoTools' | 'approvals'> & {
  readonly with?: keyof typeof settings
}

/** The outcome of a scenario. */
export interface Told {
  /** The cities that the weather was asked for, in order. */
  readonly ran: readonly unknown[]
  readonly messages: readonly Message[]
  readonly result?: RunResult
  /** Its rejection. */
  readonly failure?: Failure
  /** The exception of reading the events. */
  readonly reason?: unknown
  /** The `tool_call` events. */
  readonly calls?: readonly ToolCall[]
}

/** An error as data; what is not an error, such as the reason of an abort, is its `message`. */
export interface Failure {
  readonly message: string
  readonly code?: string
  readonly kind?: string
  readonly partial?: AssistantMessage
}

/** Does what the scenario of this name does, over the wire of that name. */
export type Perform = <Name extends keyof Scenarios>(
  wire: string,
  scenario: Name,
  order?: Parameters<Scenarios[Name]>[1],
) => Promise<Told>

export type PerformOver = <Name extends keyof Scenarios>(
  scenario: Name,
  order?: Parameters<Scenarios[Name]>[1],
) => Promise<Told>

/** The context of a scenario. */
interface Client {
  readonly ran: unknown[]
  /**
   * Waits for an answer of the provider. A connection that is closed by then was closed by the run itself: the end of a request to a Worker
   * would close it too.
   */
  untilProviderAnswers(): Promise<void>
  ask(order?: Order & Pick<RunRequest, 'signal' | 'callLog'>): RunRequest
}

export function performAt(baseUrl: string): Perform {
  return (name, scenario, order) => {
    const wire = wires.find((one) => one.name === name)
    const act = Object.hasOwn(scenarios, scenario) ? scenarios[scenario] : undefined
    if (wire === undefined || act === undefined) throw new TypeError(`Cannot perform "${scenario}" over "${name}"`)
    const ran: unknown[] = []
    const tools = toolsOf(ran)
    const ask: Client['ask'] = ({ with: setting, ...more } = {}) => ({
      model: wire.model(baseUrl),
      ...(more.messages === undefined && { prompt: 'Weather?' }),
      tools: setting === 'needsApproval' ? [{ ...tools[0], needsApproval: approval({ secret }) }] : tools,
      toolTimeoutMs: 40,
      ...(setting !== undefined && settings[setting]),
      ...more,
    })
    const untilProviderAnswers = async () => {
      await fetch(baseUrl, { method: 'POST', signal: AbortSignal.timeout(5000) })
    }
    return act({ ran, ask, untilProviderAnswers }, (order ?? {}) as never)
  }
}

function toolsOf(ran: unknown[]) {
  const weather = tool({
    name: 'get_weather',
    description: 'Current weather',
    parameters: t.object({ city: t.string() }),
    execute({ city }) {
      ran.push(city)
      return `sunny in ${city}`
    },
  })
  const throws = tool({
    name: 'throws',
    execute() {
      throw new Error('The oven is off')
    },
  })
  const rejects = tool({ name: 'rejects', execute: () => Promise.reject('no milk') })
  const hangs = tool({ name: 'hangs', execute: () => new Promise(() => {}) })
  const cycles = tool({
    name: 'cycles',
    execute() {
      const cycle: unknown[] = []
      cycle.push(cycle)
      return { cycle }
    },
  })
  return [weather, throws, rejects, hangs, cycles] as const
}

/** The part of a request that is functions. */
const settings = {
  refuses: { onToolRequest: () => ({ reject: 'Not today' }) },
  policyThrows: {
    onToolRequest() {
      throw new Error('policy is down')
    },
  },
  ranBefore: { callLog: { claim: () => false } },
  callLogFails: { callLog: { claim: () => Promise.reject(new Error('down')) } },
  needsApproval: {},
} satisfies Record<string, Partial<RunRequest>>

const secret = 'a-secret-of-at-least-32-bytes-in-all'
const approvals = {
  right: (call) => signApproval(call, { approved: true }, secret),
  refusing: (call) => signApproval(call, { approved: false, reason: 'Too dear' }, secret),
  forged: (call) => signApproval(call, { approved: true }, `${secret}!`),
  ofOther: (call) => signApproval({ ...call, argumentsText: '{"city":"Rome"}' }, { approved: true }, secret),
  expired: (call) => signApproval(call, { approved: true, expiresAt: '1970-01-01T00:00:01Z' }, secret),
  unsigned: async (call) => ({ toolCallId: call.id, approved: true }),
} satisfies Record<string, (call: ToolCall) => Promise<Approval>>

/** A conversation that waits for consent to its call. */
interface Waiting {
  readonly messages: readonly Message[]
  readonly call: ToolCall
}

const callLogs = {
  /** Knows what was claimed, and nothing of the results. */
  claiming() {
    const claimed = new Set<string>()
    return { claim: (key: string) => !claimed.has(key) && Boolean(claimed.add(key)) }
  },
  keeping: memoryCallLog,
}

type Scenarios = typeof scenarios
const scenarios = {
  stream: (client: Client, order: Order) => tellRun(client, stream(client.ask(order))),
  /** The same, and stays for a tool that would run late. */
  streamAndStay: (client: Client, order: Order) => stay(tellRun(client, stream(client.ask(order)))),
  generate: async (client: Client, order: Order) => {
    const asking = generate(client.ask(order))
    return tell(client, asking, () => asking.then(({ messages }) => messages).catch(() => []))
  },

  /** Reads the events, and notes the calls. */
  async read(client: Client, order: Order): Promise<Told> {
    const calls: ToolCall[] = []
    const run = stream(client.ask(order))
    for await (const event of run) if (event.type === 'tool_call') calls.push(event.call)
    return { ...(await tellRun(client, run)), calls }
  },

  /** Runs by hand what an earlier run left pending, and continues. */
  async answer(client: Client, { messages, calls }: Pick<Waiting, 'messages'> & { calls: readonly ToolCall[] }) {
    const [weather] = toolsOf(client.ran)
    const tools = new Map([['get_weather', weather]])
    const answers = await Promise.all(calls.map(async (call) => toToolMessage(await invokeTool(call, tools))))
    return tellRun(client, stream(client.ask({ messages: [...messages, ...answers] })))
  },

  /** Leaves the iteration at the first call. */
  async leave(client: Client): Promise<Told> {
    const run = stream(client.ask())
    for await (const event of run) if (event.type === 'tool_call') break
    await client.untilProviderAnswers()
    return stay(tellRun(client, run))
  },

  /** Aborts at the first call. */
  async cancel(client: Client): Promise<Told> {
    const controller = new AbortController()
    const run = stream(client.ask({ signal: controller.signal }))
    const reading = (async () => {
      for await (const event of run) if (event.type === 'tool_call') controller.abort('enough')
    })()
    const reason = await reading.catch((cause: unknown) => cause)
    await client.untilProviderAnswers()
    return { ...(await stay(tellRun(client, run))), reason }
  },

  /** Goes on with a conversation that waits, with one approval or none. */
  async resume(client: Client, { messages, call, approval }: Waiting & { approval?: keyof typeof approvals }) {
    const given = approval === undefined ? [] : [await approvals[approval](call)]
    const order = { messages, approvals: given, with: 'needsApproval' as const }
    return tellRun(client, stream(client.ask(order)))
  },

  /** Goes on with the same conversation twice, rightly approved, with one call log. */
  async resumeTwice(client: Client, { messages, call, callLog }: Waiting & { callLog: keyof typeof callLogs }) {
    const more = { approvals: [await approvals.right(call)], callLog: callLogs[callLog]() }
    const order = { messages, with: 'needsApproval' as const, ...more }
    await stream(client.ask(order)).response
    return tellRun(client, stream(client.ask(order)))
  },
}

/** The list of tools that ran is shared: a tool that runs during the wait is in it. */
async function stay(telling: Promise<Told>): Promise<Told> {
  const told = await telling
  await new Promise((resolve) => setTimeout(resolve, 15))
  return told
}

function tellRun(client: Client, run: Run): Promise<Told> {
  return tell(client, run.response, () => run.messages)
}

async function tell(
  { ran }: Client,
  response: Promise<RunResult>,
  messages: () => readonly Message[] | Promise<readonly Message[]>,
): Promise<Told> {
  const end = await response.then(
    (result) => ({ result }),
    (failure: unknown) => ({ failure: asData(failure) }),
  )
  return { ran, messages: await messages(), ...end }
}

function asData(failure: unknown): Failure {
  if (!(failure instanceof Error)) return { message: String(failure) }
  const { code, kind, partial } = failure as Failure
  return { message: failure.message, ...(code && { code }), ...(kind && { kind }), ...(partial && { partial }) }
}
