/**
 * A history can be sent again. The recorded answers of a format, whole or left at any place, go back to the same format and to each
 * other format as a request that its documented rules accept: with nothing after it, a blank message, results of its calls, or both; with and
 * without thinking, with forced calls, with cache marks on everything; to models of each family. Judged by the validators, which were written
 * only from the wire documents.
 */
import { describe, expect, it } from 'vitest'
import { blocksOf, callsOf, canRunTools } from '../../src/core/content.ts'
import type {
  AssistantMessage,
  Content,
  ContentBlock,
  Context,
  Message,
  RequestOptions,
} from '../../src/core/messages.ts'
import { facts } from '../formats/index.ts'
import {
  type History,
  leftHistories,
  oddHistories,
  oneOfEachKind,
  recordedHistories,
  writtenHistories,
} from '../handoff/histories.ts'
import { handOver, modelFor, type Target, targets, wires } from '../handoff/matrix.ts'
import type { Wire } from '../support/answers.ts'
import { cutsTimeout, isExhaustive } from '../support/cuts.ts'

const histories: readonly History[] = isExhaustive
  ? [...oddHistories(), ...writtenHistories(), ...recordedHistories(), ...leftHistories(4)]
  : [...oddHistories(), ...writtenHistories(), ...oneOfEachKind([...recordedHistories(), ...leftHistories(2)])]

/** The results of all calls, as a run makes them: of invalid calls too. */
function resultsOf(answer: AssistantMessage): Message[] {
  return callsOf(answer).map(({ id = '', name }, at) => ({
    role: 'tool',
    toolCallId: id,
    ...(name !== undefined && { name }),
    content: at % 2 === 1 ? [{ type: 'text', text: 'The service is away' }] : '{"celsius":25}',
    status: at % 2 === 1 ? 'error' : 'success',
  }))
}

const says = (content: Content): Message => ({ role: 'user', content })

/** Messages after an answer. */
const ends: Readonly<Record<string, (answer: AssistantMessage) => readonly Message[]>> = {
  nothing: () => [],
  'a message': () => [says('And tomorrow?')],
  'a blank message': () => [says(' \n')],
  'an empty message': () => [says([])],
  results: resultsOf,
  'results, and a message': (answer) => [...resultsOf(answer), says('And tomorrow?')],
  'results, and a blank message': (answer) => [...resultsOf(answer), says([{ type: 'text', text: ' ' }])],
}

/** Models of each family, where a wire document has rules for families. */
const families: Partial<Record<Wire, readonly string[]>> = {
  anthropic: ['claude-sonnet-4-5', 'claude-sonnet-4-6', 'claude-opus-4-7', 'claude-opus-4-8', 'claude-sonnet-5'],
  gemini: ['gemini-2.5-flash', 'gemini-3-flash-preview', 'gemini-3.5-flash-lite', 'gemini-3.8-flash'],
  'bedrock-converse': [...facts['bedrock-converse'].models, 'anthropic.claude-opus-4-7', 'anthropic.claude-opus-4-8'],
}

const optionSets: readonly Partial<RequestOptions>[] = [
  {},
  { maxTokens: 30_000, reasoning: { effort: 'high' } },
  { maxTokens: 30_000, reasoning: { effort: 'low' }, toolChoice: 'required' },
  { reasoning: { effort: 'none' } },
]

/** The conversation with a mark on all that can have one, results and their blocks too. */
function marked(context: Context): Context {
  const metadata = { cacheHint: 'ephemeral' } as const
  const blocks = (content: Content | null): Content | null =>
    typeof content === 'object' && content !== null ? content.map((block) => ({ ...block, metadata })) : content
  const messages = context.messages.map((message) => ({ ...message, metadata, content: blocks(message.content) }))
  return { ...context, messages: messages as Message[] }
}

interface Tried extends Target {
  readonly models: readonly string[]
}

const tried: readonly Tried[] = targets.map((target) => {
  const isWire = wires.some(({ name }) => name === target.name)
  const models = families[target.client.name as Wire] ?? facts[target.client.name as Wire].models.slice(0, 2)
  return { ...target, models: isWire || isExhaustive ? models : models.slice(0, 1) }
})

/**
 * The histories that are tried with a target: a share, which differs from that of its neighbours. All of them, with each end and each option,
 * would take an hour.
 */
function dueFor(target: Tried, turn: number): readonly History[] {
  const isWire = wires.some(({ name }) => name === target.name)
  const share = isWire ? 8 : 24
  return histories.filter((_, at) => at % share === turn % share)
}

describe.each(tried)('$name', (target) => {
  it.each(target.models)('%s takes every history, whatever comes after it', { timeout: cutsTimeout }, (named) => {
    const found: string[] = []
    const turn = tried.indexOf(target) + target.models.indexOf(named)
    const isWire = wires.some(({ name }) => name === target.name)
    for (const [at, history] of dueFor(target, turn).entries()) {
      const answer = history.context.messages.at(-1) as AssistantMessage
      const isHome = target.models[0] === named && target.client.name === history.format
      const model = isHome ? modelFor(history, target) : named
      const { client } = target
      const validate = facts[client.name as Wire].validatorOf(client.provider, model)
      for (const [place, [end, after]] of Object.entries(ends).entries()) {
        const context = { ...history.context, messages: [...history.context.messages, ...after(answer)] }
        for (const [index, options] of optionSets.entries()) {
          // Options and ends change different parts of a body: dialects, and all in `npm test`, get one option for each end.
          if (!(isExhaustive && isWire) && index !== (at + place) % optionSets.length) continue
          const given = (at + place + index) % 3 === 0 ? marked(context) : context
          const { body } = handOver(given, target, model, options)
          const label = `${history.format}/${history.provider}: ${history.name}, then ${end}, ${JSON.stringify(options)}`
          found.push(...validate(body).map((what) => `${label}: ${what}`))
        }
      }
    }
    expect(found).toEqual([])
  })
})

/**
 * An answer that is whole goes home with nothing lost that `strict: true` counts: a run that is that strict can have a second turn. Not counted:
 * thoughts without a proof, which only some requests ask for, and answers that wait for more than a message.
 */
describe.each(wires)('$name', ({ client }) => {
  it('takes its own whole answers back without a loss', () => {
    let seen = 0
    const found = [...recordedHistories(), ...oddHistories()].flatMap((history) => {
      const answer = history.context.messages.at(-1) as AssistantMessage
      const isHome = history.format === client.name && history.provider === client.provider
      if (!isHome || !canRunTools(answer) || history.kinds.has('invalid call') || isWaiting(answer)) return []
      seen++
      const messages = [...history.context.messages, ...resultsOf(answer), says('And tomorrow?')]
      const model = modelFor(history, { name: client.name, client })
      const target = { name: client.name, client }
      const { losses } = handOver({ ...history.context, messages }, target, model)
      const place = history.context.messages.length - 1
      const isOfAnswer = (path: string) => Number(/^messages\[(\d+)\]/.exec(path)?.[1] ?? place) >= place
      const counted = losses.filter(
        ({ path, severity, reason }) => severity !== 'info' && !unproved.test(reason) && isOfAnswer(path),
      )
      return counted.map(({ path, reason }) => `${history.name}: ${path}: ${reason}`)
    })
    expect(found).toEqual([])
    expect(seen).toBeGreaterThan(1)
  })
})

/** Reasons of losses of thoughts that have text, and no proof. */
const unproved = /reasoning (?:without a proof|goes back only with a|that nothing follows)|does not take reasoning back/

/** Whether code of the provider waits for it, or the client has to run a tool that isoglot does not know. */
function isWaiting({ content, stopReason }: AssistantMessage): boolean {
  const blocks = blocksOf(content)
  const answered = new Set(blocks.map((block) => (block.type === 'server_tool_result' ? block.toolCallId : undefined)))
  const isOpen = (block: ContentBlock) =>
    block.type === 'unknown'
      ? /_call$/.test(block.providerType)
      : block.type === 'server_tool_call'
        ? /^(?:srv)?tool/.test(block.id ?? '') && !answered.has(block.id)
        : block.type === 'tool_call' && JSON.stringify(block).includes('"tool_id"')
  return stopReason === 'pause' || blocks.some(isOpen)
}
