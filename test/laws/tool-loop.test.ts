/**
 * Random programs of rounds against the tool loop: whatever a model calls, a tool returns and a caller does, each call runs once at most, the
 * messages can be sent on, and no body, listener or rejection stays.
 */
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { RunResult, StreamEvent } from '../../src/client/result.ts'
import {
  approval,
  budget,
  createChat,
  generate,
  IsoglotError,
  type Message,
  memoryCallLog,
  type RunRequest,
  stream,
  type Tool,
  tool,
} from '../../src/index.ts'
import { facts } from '../formats/index.ts'
import { cutsTimeout, isExhaustive } from '../support/cuts.ts'
import { seeded } from '../support/random.ts'
import { fail, outputs } from '../support/tool-outputs.ts'
import { pause } from '../support/upstream.ts'
import { type TestWire, type WrittenCall, wires } from '../support/wires.ts'

const programs = isExhaustive ? 1_500 : 60

const argumentTexts = ['{"a":1}', '{"a":1}', '{}', '{"a":"x"}', '{"a":null}', '{"a":', '[1]', '', 'null']
const objectTexts = argumentTexts.slice(0, 5)
const schemas = [
  { type: 'object', properties: { a: { type: 'number' } }, additionalProperties: false },
  { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
]
const readings = ['events', 'events', 'batches', 'text', 'response', 'generate', 'chat', 'left', 'stopped', 'twice']
const abortPlaces = ['before', 'fetch', 'tool', 'request', 'result', 'event', 'round']

/** A signal that counts its listeners. */
function countedSignal() {
  const controller = new AbortController()
  const { signal } = controller
  const listeners = new Set<unknown>()
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = (type: string, listener: never, options: never) => {
    listeners.add(listener)
    add(type, listener, options)
  }
  signal.removeEventListener = (type: string, listener: never) => {
    listeners.delete(listener)
    remove(type, listener)
  }
  return { controller, listeners }
}

function toChunks(wire: TestWire, pieces: readonly string[], onEnd: () => void): Response {
  const waiting = pieces.map((piece) => new TextEncoder().encode(piece))
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const next = waiting.shift()
        if (next !== undefined) return controller.enqueue(next)
        onEnd()
        controller.close()
      },
      cancel: onEnd,
    },
    { highWaterMark: 0 },
  )
  const { framing } = wire.model('https://x.example').codec
  const type = framing === 'ndjson' ? 'application/x-ndjson' : 'text/event-stream'
  return new Response(body, { headers: { 'content-type': type } })
}

/** Runs one program. Returns the problems. */
async function problemsOf(seed: number): Promise<string[]> {
  const problems: string[] = []
  const random = seeded(seed)
  const chance = (share: number) => random() < share
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
  const check = (holds: boolean, problem: string) => void (holds || problems.push(problem))

  const wire = pick(wires)
  const texts = facts[wire.name].answers.rules.includes('text of arguments') ? objectTexts : argumentTexts
  const { controller, listeners } = countedSignal()
  const abortAt = chance(0.35) ? pick(abortPlaces) : 'never'
  let reached = Math.floor(random() * 4)
  const reach = (place: string) => {
    if (place === abortAt && reached-- <= 0) controller.abort(chance(0.5) ? new Error('mine') : undefined)
  }

  const ran = new Map<unknown, number>()
  /** The ids of the calls that ran in this turn. */
  let ranIds: string[] = []
  const asksPerson = chance(0.3)
  const tools: Tool[] = ['alpha', 'beta', 'my tool!', 'slow']
    .filter(() => chance(0.85))
    .map((name) =>
      tool({
        name,
        parameters: pick(schemas),
        sequential: chance(0.2),
        convert: chance(0.8),
        ...(name === 'slow' && { timeoutMs: 1 }),
        ...(asksPerson && chance(0.5) && { needsApproval: approval({ when: () => chance(0.7) || fail('when')() }) }),
        ...(chance(0.05) && { terminal: true }),
        execute: async (_args, { call, signal, progress }) => {
          ran.set(call, (ran.get(call) ?? 0) + 1)
          ranIds.push(call.id)
          reach('tool')
          if (chance(0.2)) progress('half')
          if (name === 'slow') await new Promise((resolve) => signal.addEventListener('abort', resolve))
          return pick(outputs)()
        },
      }),
    )

  let number = 0
  let answersLeft = 1 + Math.floor(random() * 5)
  const ids = pick(['unique', 'unique', 'per turn', 'one'])
  function answer(): readonly string[] {
    if (answersLeft-- <= 0 || chance(0.1)) return wire.text('done')
    const calls = Array.from({ length: 1 + Math.floor(random() * 4) }, (_, at): WrittenCall => {
      const id = { unique: `id_${number++}`, 'per turn': `call_${at}`, one: 'same' }[ids] ?? ''
      return [id, pick(['alpha', 'beta', 'my_tool_', 'slow', 'nobody']), pick(texts)]
    })
    if (chance(0.07)) return wire.cutAtLength(...calls)
    const pieces = wire.calls(...calls)
    if (chance(0.05)) return pieces.slice(0, Math.floor(random() * pieces.length))
    return chance(0.05) ? [...pieces.slice(0, -wire.endPieces), wire.errorPiece] : pieces
  }

  let open = 0
  const fetch = async (_url: unknown, init?: RequestInit) => {
    const found = facts[wire.name].violations(JSON.parse(String(init?.body)))
    check(found.length === 0, `sent: ${found.join()}`)
    reach('fetch')
    open++
    return toChunks(wire, answer(), () => void open--)
  }
  const base = wire.model('https://x.example')
  const warned: unknown[] = []
  const request: RunRequest = {
    model: { ...base, fetch: fetch as typeof globalThis.fetch },
    tools,
    retries: 0,
    signal: controller.signal,
    onWarning: (warning) => void warned.push(warning),
    ...(chance(0.5) && { maxRounds: 1 + Math.floor(random() * 4) }),
    ...(chance(0.3) && { lastCalls: 'keep' as const }),
    ...(chance(0.3) && { toolMode: 'sequential' as const }),
    ...(chance(0.3) && { maxRepeatedCalls: pick([1, 2, Number.POSITIVE_INFINITY]) }),
    ...(chance(0.1) && { autoTools: false }),
    ...(chance(0.2) && { budget: budget({ maxToolCalls: Math.floor(random() * 4), maxTokens: 40 }) }),
    ...(chance(0.1) && { stopWhen: () => chance(0.3) }),
    ...(chance(0.3) && { maxResultLength: pick([0, 3]) }),
    ...((asksPerson || chance(0.2)) && { callLog: memoryCallLog() }),
    ...(chance(0.4) && {
      beforeRound: () => {
        reach('round')
        if (chance(0.05)) throw new Error('mine')
        return chance(0.5) ? { tools: tools.map(({ name }) => name).filter(() => chance(0.7)) } : undefined
      },
    }),
    ...(chance(0.3) && {
      onToolRequest: async () => {
        reach('request')
        if (chance(0.1)) throw new Error('mine')
        return chance(0.2) ? { reject: 'no' } : undefined
      },
    }),
    ...(chance(0.3) && {
      onToolResult: async () => {
        reach('result')
        if (chance(0.05)) throw new Error('mine')
      },
    }),
    ...(chance(0.3) && { observers: [{ onTool: fail('observer'), onRound: () => Promise.reject('observer') }] }),
  }

  const reading = pick(readings)
  let isLeft = false
  async function read(asked: RunRequest, events: StreamEvent[]): Promise<[readonly Message[], RunResult | undefined]> {
    if (reading === 'generate') {
      const result = await generate(asked)
      return [result.messages, result]
    }
    if (reading === 'chat' && asked.approvals === undefined) {
      const { prompt, signal, messages: before = [], ...settings } = asked
      const chat = createChat({ ...settings, messages: before })
      const result = await chat
        .send(prompt as string, signal ? { signal } : {})
        .catch((error) => check(isExpected(error), `chat: ${error}`))
      return [chat.messages.slice(before.length), result ?? undefined]
    }
    const run = stream(asked)
    let left = Math.floor(random() * 30)
    const iterate = async () => {
      if (reading === 'response') await run.response
      else if (reading === 'text') for await (const _ of run.text()) reach('event')
      else if (reading === 'batches') for await (const batch of run.batches()) events.push(...batch)
      else {
        for await (const event of run) {
          events.push(event)
          reach('event')
          if (left-- > 0) continue
          isLeft ||= reading === 'left' || reading === 'stopped'
          if (reading === 'left') break
          if (reading === 'stopped') await run.stop()
          if (reading === 'twice') expect(() => run.text()).toThrow(TypeError)
        }
      }
    }
    const thrown = await iterate().catch((error: unknown) => error)
    const result = await run.response.catch((error: unknown) => {
      check(
        isLeft || error === thrown || reading === 'response',
        `"response" rejects with ${error}, and not with ${thrown}`,
      )
      check(isExpected(error), `the run rejects with ${(error as Error)?.stack}`)
    })
    return [run.messages, result ?? undefined]
  }

  let history: readonly Message[] = []
  let asked: RunRequest = { ...request, prompt: 'go' }
  if (abortAt === 'before') controller.abort()
  for (let turn = 0; turn < 3 && (turn === 0 || !controller.signal.aborted); turn++) {
    const events: StreamEvent[] = []
    ranIds = []
    warned.length = 0
    isLeft = false
    let messages: readonly Message[] = []
    let result: RunResult | undefined
    try {
      ;[messages, result] = await read(asked, events)
    } catch (error) {
      check(isExpected(error), `the run rejects with ${(error as Error)?.stack}`)
    }
    await pause(0)
    check(open === 0, `${open} bodies are open`)
    check(listeners.size === 0, `${listeners.size} listeners are left`)
    check(Math.max(1, ...ran.values()) === 1, 'a call ran twice')
    const count = (type: StreamEvent['type']) => events.filter((event) => event.type === type).length
    if (result !== undefined && (reading === 'events' || reading === 'batches')) {
      check(count('tool_start') === count('tool_result'), 'a call began and did not end')
      check(count('tool_result') === messages.filter(({ role }) => role === 'tool').length, 'results and events differ')
      check(count('warning') === warned.length, 'warnings and events differ')
    }
    if (result !== undefined) {
      check(result.warnings.length === warned.length, 'warnings of the result differ')
      const sum = result.responses.reduce((total, { usage }) => total + (usage?.totalTokens ?? 0), 0)
      check(result.stopReason !== 'length' || result.outcome === 'cut', 'calls of an answer that was cut ran')
      check(sum === (result.usage?.totalTokens ?? 0), 'usage is not the sum')
    }
    if (result !== undefined && asked.approvals !== undefined && asked.callLog && ids === 'unique') {
      const before = ranIds
      ranIds = []
      answersLeft = 0
      // A page that sends its consent twice.
      await generate(asked).catch((error) => check(isExpected(error), `sent twice: ${error}`))
      check(!ranIds.some((id) => before.includes(id)), 'a call ran again, as its approval came again')
    }
    try {
      history = [...history, ...(JSON.parse(JSON.stringify(messages)) as Message[])]
    } catch (error) {
      return [`program ${seed}: the messages are not JSON: ${error}`]
    }
    for (const other of wires.filter((one) => one === wire || chance(0.2))) {
      const found = await violationsOnceSent(other, history, tools)
      check(found.length === 0, `after turn ${turn} on ${other.name}: ${found.join()}`)
    }
    const pending = result?.outcome === 'approval' ? result.pending : []
    const approvals = pending
      .filter(() => chance(0.8))
      .map(({ id, approvalId }) => ({ toolCallId: id, approved: chance(0.7), ...(chance(0.5) && { approvalId }) }))
    if (chance(0.3)) approvals.push(...approvals)
    if (chance(0.3)) approvals.reverse()
    asked = { ...request, messages: history, ...(pending.length > 0 ? { approvals } : { prompt: 'more' }) }
    answersLeft = 2
  }
  return problems.map((problem) => `program ${seed}, ${wire.name}, ${reading}: ${problem}`)
}

function isExpected(error: unknown): boolean {
  if (error instanceof IsoglotError) return true
  return error instanceof Error && (error.message === 'mine' || error.name === 'AbortError')
}

/** The reasons why a server would refuse the next request. */
async function violationsOnceSent(wire: TestWire, messages: readonly Message[], tools: readonly Tool[]) {
  let found: readonly string[] = ['nothing was sent']
  const fetch = async (_url: unknown, init?: RequestInit) => {
    found = facts[wire.name].violations(JSON.parse(String(init?.body)))
    return toChunks(wire, wire.text('ok'), () => {})
  }
  const model = { ...wire.model('https://x.example'), fetch: fetch as typeof globalThis.fetch }
  await generate({ model, messages, prompt: 'next', tools, retries: 0 })
  return found
}

const unhandled: unknown[] = []
const note = (error: unknown) => unhandled.push(error)
beforeEach(() => void process.on('unhandledRejection', note))
afterEach(() => void process.off('unhandledRejection', note))

it('runs each call once at most, leaves messages that can be sent, and nothing else', {
  timeout: cutsTimeout,
}, async () => {
  const problems: string[] = []
  for (let seed = 0; seed < programs; seed++) problems.push(...(await problemsOf(seed)))
  await pause(5)
  expect(problems).toEqual([])
  expect(unhandled).toEqual([])
})
