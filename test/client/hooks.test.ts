/** Hooks around the rounds of a run: callbacks that change one or watch it, and observers. */
import { describe, expect, it } from 'vitest'
import { anthropic } from '../../src/formats/anthropic/index.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { openaiResponses } from '../../src/formats/openai-responses/index.ts'
import {
  approval,
  createChat,
  generate,
  message,
  type Observer,
  type RunRequest,
  type RunResult,
  signApproval,
  stream,
  t,
  tool,
} from '../../src/index.ts'
import { rolesOf } from '../support/makers.ts'
import { ownUpstream } from '../support/own-upstream.ts'
import { type Answering, chatBody, chatText, chunks, json } from '../support/upstream.ts'
import { wires } from '../support/wires.ts'

const upstream = ownUpstream()
const model = (name = 'm') => openaiChat(name, { apiKey: 'k', baseUrl: upstream.url })
const f = tool({ name: 'f', parameters: t.object({}), execute: () => 'ran f' })
const g = tool({ name: 'g', parameters: t.object({}), execute: () => 'ran g' })
const ask = (more: Partial<RunRequest> = {}): RunRequest => ({ model: model(), prompt: 'Go', tools: [f, g], ...more })
const calling = (name: string, id: string, usage?: object): Answering =>
  json({ ...(chatBody(null, [[id, name, '{}']]) as object), usage })
const done = json(chatBody('done'))
const sent = (at: number) =>
  upstream.asked[at]?.body as Record<string, unknown> & { messages: { role: string; content: string }[] }
const namesIn = (at: number) =>
  ((sent(at).tools ?? []) as { function: { name: string } }[]).map((one) => one.function.name)

describe('beforeRound', () => {
  it('gets the messages to send, and the progress of the run', async () => {
    upstream.answer(calling('f', 'c1', { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }), done)
    const seen: unknown[] = []
    await generate(
      ask({
        system: 'Be brief',
        maxRounds: 2,
        beforeRound({ round, isLast, model, system, messages, tools, last, usage, toolCalls, elapsedMs, signal }) {
          seen.push([round, isLast, model.model, system, messages.map(({ role }) => role)])
          seen.push([tools.length, last?.stopReason, usage?.totalTokens, toolCalls, elapsedMs >= 0, signal.aborted])
        },
      }),
    )
    expect(seen).toEqual([
      [1, false, 'm', 'Be brief', ['user']],
      [2, undefined, undefined, 0, true, false],
      [2, true, 'm', 'Be brief', ['user', 'assistant', 'tool']],
      [2, 'tool_calls', 10, 1, true, false],
    ])
  })

  it('changes the model, the options and the choice of tools for one round', async () => {
    upstream.answer(calling('f', 'c1'), calling('f', 'c2'), done)
    await generate(
      ask({
        maxTokens: 100,
        beforeRound: ({ round }) =>
          round === 2
            ? { model: model('cheap'), maxTokens: 5, temperature: 0, toolChoice: { name: 'f' }, tools: ['f'] }
            : undefined,
      }),
    )
    expect(upstream.asked.map(({ body }) => [body.model, body.max_completion_tokens, body.temperature])).toEqual([
      ['m', 100, undefined],
      ['cheap', 5, 0],
      ['m', 100, undefined],
    ])
    expect([0, 1, 2].map(namesIn)).toEqual([['f', 'g'], ['f'], ['f', 'g']])
    expect(sent(1).tool_choice).toEqual({ type: 'function', function: { name: 'f' } })
    expect(sent(2).tool_choice).toBeUndefined()
  })

  it('a call of a tool that the round does not have gets an error, and the run continues', async () => {
    for (const tools of [['f'], []]) {
      upstream.answer(calling('g', 'c1'), done)
      const { outcome, messages } = await generate(ask({ beforeRound: ({ round }) => (round === 1 ? { tools } : {}) }))
      expect(outcome).toBe('answered')
      expect(messages[2]).toMatchObject({ role: 'tool', toolCallId: 'c1', status: 'error' })
    }
  })

  it('shortens what is sent from then on, and `messages` stay what was said', async () => {
    upstream.answer(calling('f', 'c1'), calling('f', 'c2'), done)
    const history = [message.user('Old'), message.assistant('Older')]
    const { messages, context } = await generate(
      ask({
        messages: history,
        system: 'First',
        beforeRound: ({ round, messages }) =>
          round === 2 ? { system: 'Second', messages: ['In short: go', ...messages.slice(-2)] } : undefined,
      }),
    )
    const texts = [0, 1, 2].map((at) => sent(at).messages.map(({ role, content }) => `${role}: ${content}`))
    const round = ['assistant: null', 'tool: ran f']
    expect(texts).toEqual([
      ['system: First', 'user: Old', 'assistant: Older', 'user: Go'],
      ['system: Second', 'user: In short: go', ...round],
      ['system: Second', 'user: In short: go', ...round, ...round],
    ])
    expect(rolesOf(messages)).toBe('user assistant tool assistant tool assistant')
    expect(context.system).toBe('Second')
    expect(rolesOf(context.messages)).toBe('user assistant tool assistant tool assistant')
    expect(context.messages[0]?.content).toBe('In short: go')
    upstream.answer(done)
    await generate({ model: model(), tools: [f], ...context, prompt: 'And now?' })
    expect(sent(0).messages).toHaveLength(8)
  })

  it('without a change, `context` is the history and `messages`', async () => {
    upstream.answer(calling('f', 'c1'), done)
    const history = [message.user('Old'), message.assistant('Older')]
    const { context, messages } = await generate(ask({ messages: history, beforeRound: () => {} }))
    expect(context.messages).toEqual([...history, ...messages])
  })

  it('messages that were taken out keep their ids: no later call gets one of them', async () => {
    const gemini = wires.find(({ name }) => name === 'gemini')
    if (gemini === undefined) throw new Error('The wire without ids is missing')
    const call = json(gemini.wholeCalls(['', 'f', '{}']))
    upstream.answer(call, call, json(gemini.wholeText('done')))
    let ran = 0
    const counted = tool({ name: 'f', parameters: t.object({}), execute: () => ++ran })
    const { messages } = await generate({
      model: gemini.model(upstream.url),
      prompt: 'Go',
      tools: [counted],
      wholeAnswer: true,
      beforeRound: ({ round }) => (round > 1 ? { messages: ['Go on'] } : undefined),
    })
    const ids = messages.flatMap((one) => (one.role === 'tool' ? [one.toolCallId] : []))
    expect([ran, new Set(ids).size]).toEqual([2, 2])
  })

  it('the same id in two turns is two calls, after the first turn was removed', async () => {
    upstream.answer(calling('f', 'call_0'), calling('f', 'call_0'), done)
    let ran = 0
    const counted = tool({ name: 'f', parameters: t.object({}), execute: () => ++ran })
    await generate(
      ask({ tools: [counted], beforeRound: ({ round }) => (round > 1 ? { messages: ['Go on'] } : undefined) }),
    )
    expect(ran).toBe(2)
  })

  it('changed messages end what the provider keeps of the old ones', async () => {
    const body = (id: string, output: unknown[]) => json({ id, status: 'completed', model: 'm', output })
    const call = { type: 'function_call', id: 'fc', call_id: 'c1', name: 'f', arguments: '{}', status: 'completed' }
    const content = [{ type: 'output_text', text: 'ok', annotations: [] }]
    const text = { type: 'message', id: 'msg', role: 'assistant', status: 'completed', content }
    const responses = openaiResponses('m', { apiKey: 'k', baseUrl: upstream.url })
    for (const [change, previous] of [
      [undefined, 'r0'],
      [{ maxTokens: 5 }, 'r0'],
      [{ messages: ['In short'] }, undefined],
    ] as const) {
      upstream.answer(body('r1', [call]), body('r2', [text]))
      const state = { wholeAnswer: true, providerState: { previousResponseId: 'r0' } }
      const beforeRound: RunRequest['beforeRound'] = ({ round }) => (round === 1 ? change : undefined)
      const { providerState } = await generate(ask({ model: responses, tools: [f], ...state, beforeRound }))
      expect(upstream.asked[0]?.body.previous_response_id).toBe(previous)
      expect(providerState?.previousResponseId).toBe(previous)
    }
  })

  it('another provider answers in the middle of a run', async () => {
    upstream.answer(calling('f', 'c1'), json(wires.find(({ name }) => name === 'anthropic')?.wholeText('Done')))
    const other = anthropic('claude', { apiKey: 'k', baseUrl: upstream.url })
    const { text } = await generate(ask({ beforeRound: ({ round }) => (round > 1 ? { model: other } : undefined) }))
    expect([text, upstream.asked.map(({ path }) => path)]).toEqual(['Done', ['/chat/completions', '/messages']])
    expect(upstream.asked[1]?.body).toMatchObject({
      model: 'claude',
      messages: [
        { role: 'user' },
        { role: 'assistant', content: [{ type: 'tool_use', name: 'f' }] },
        { role: 'user', content: [{ type: 'tool_result' }] },
      ],
    })
  })

  it('ends the run with a reason', async () => {
    upstream.answer(calling('f', 'c1'), done)
    const { outcome, reason, rounds, messages } = await generate(
      ask({ beforeRound: ({ toolCalls }) => (toolCalls > 0 ? { end: 'enough calls' } : undefined) }),
    )
    expect([outcome, reason, rounds, messages.length]).toEqual(['stop_condition', 'enough calls', 1, 3])
    const none = await generate(ask({ beforeRound: () => ({ end: 'not today' }) }))
    expect([none.outcome, none.reason, none.rounds, none.text]).toEqual(['stop_condition', 'not today', 0, ''])
    expect(none.messages).toEqual([{ role: 'user', content: 'Go' }])
  })

  it('an error that it throws fails the run, before anything is sent', async () => {
    upstream.answer(done)
    const failure = new Error('no summary')
    const fails = ask({ beforeRound: () => Promise.reject(failure) })
    await expect(generate(fails)).rejects.toBe(failure)
    expect(upstream.asked).toEqual([])
  })

  it('one that never settles ends with the run', async () => {
    const controller = new AbortController()
    const run = generate(ask({ signal: controller.signal, beforeRound: () => new Promise(() => {}) }))
    controller.abort(new Error('left'))
    await expect(run).rejects.toThrow('left')
  })

  it.each<[string, unknown, RegExp]>([
    ['text', 'x', /the options.*text.*object/],
    ['a list', [], /the options.*list.*object/],
    ['null', null, /the options.*null.*object/],
    ['a model that is text', { model: 'gpt' }, /"model".*openaiChat/],
    ['a tool that the request does not have', { tools: ['h'] }, /"tools" has "h"/],
    ['tools that are no list', { tools: 'f' }, /tools/],
    ['no message', { messages: [] }, /message/],
    ['a message of another library', { messages: [{ parts: [] }] }, /messages\[0\].*role/],
    ['a number that is text', { maxTokens: '5' }, /"maxTokens" is text; expected number/],
    ['an end that is no text', { end: true }, /"end" is boolean/],
  ])('%s in place of a change is a TypeError that says so', async (_what, change, words) => {
    upstream.answer(done)
    const error = await generate(ask({ beforeRound: () => change as never })).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(TypeError)
    expect((error as Error).message).toMatch(words)
    expect((error as Error).message).toMatch(/beforeRound/)
    expect(upstream.asked).toEqual([])
  })

  it('consent to a call after the history was shortened counts with history and `messages`', async () => {
    const secret = 'a-secret-of-at-least-32-bytes-in-all'
    const needsApproval = approval({ secret })
    const pay = tool({ name: 'f', parameters: t.object({}), needsApproval, execute: () => 'paid' })
    upstream.answer(calling('g', 'c1'), calling('f', 'c2'), done)
    const beforeRound: RunRequest['beforeRound'] = ({ round, messages }) =>
      round === 2 ? { messages: messages.slice(-2) } : undefined
    const { pending, messages } = await generate(ask({ tools: [pay, g], beforeRound }))
    const approvals = await Promise.all(pending.map((call) => signApproval(call, { approved: true }, secret)))
    const resumed = await generate({ model: model(), messages, tools: [pay, g], approvals })
    expect([resumed.outcome, resumed.messages[0]]).toEqual(['answered', expect.objectContaining({ content: 'paid' })])
  })

  it('with an idempotency key, other messages have another key in later rounds, and the same have the same', async () => {
    const keys = async (summary?: string) => {
      upstream.answer(calling('f', 'c1'), done)
      const beforeRound: RunRequest['beforeRound'] = ({ round }) =>
        round > 1 && summary ? { messages: [summary] } : undefined
      await generate(ask({ idempotencyKey: 'once', beforeRound }))
      return upstream.asked.map(({ headers }) => headers['idempotency-key'])
    }
    const [plain, again, one, other] = [await keys(), await keys(), await keys('a'), await keys('b')]
    expect(again).toEqual(plain)
    expect([plain, one, other].map(([first]) => first)).toEqual(['once', 'once', 'once'])
    expect(new Set([plain[1], one[1], other[1]]).size).toBe(3)
  })
})

it('beforeRound sees the answer and results of the last round; an error of its own fails the run, which keeps them', async () => {
  upstream.answer(calling('f', 'c1'), done)
  const seen: unknown[] = []
  const run = stream(
    ask({
      topK: 5,
      async beforeRound({ round, last, messages }) {
        await Promise.resolve()
        seen.push([round, last?.stopReason, last?.warnings.map(({ path }) => path), messages.at(-1)?.content])
        if (round === 2) throw new Error('disk full')
      },
    }),
  )
  await expect(run.response).rejects.toThrow('disk full')
  expect(seen).toEqual([
    [1, undefined, undefined, 'Go'],
    [2, 'tool_calls', ['options.topK'], 'ran f'],
  ])
  expect(rolesOf(run.messages)).toBe('user assistant tool')
  expect(upstream.asked).toHaveLength(1)
})

it('onWarning gets the round and the model, in a chat too', async () => {
  const told: unknown[] = []
  const onWarning: RunRequest['onWarning'] = ({ path }, { round, model }) => void told.push([path, round, model.model])
  upstream.answer(done)
  await generate(ask({ topK: 5, onWarning }))
  await createChat({ model: model('n'), topK: 5, onWarning }).send('Hi')
  expect(told).toEqual([
    ['options.topK', 1, 'm'],
    ['options.topK', 1, 'n'],
  ])
})

describe('onAttempt of an observer', () => {
  it('is called at each attempt, and at its end: status, usage, retry', async () => {
    upstream.answer(
      json({ error: { message: 'busy' } }, 503, { 'retry-after': '0' }),
      json({ ...(chatBody('done') as object), usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } }),
    )
    const seen: unknown[] = []
    const note: Observer['onAttempt'] = ({ url, attempt, round, model, end }) => {
      seen.push([url.replace(upstream.url, ''), attempt, round, model.model])
      const name = (end?.error as Error | undefined)?.name
      if (end) seen.push([end.status, end.retryMs, end.usage?.totalTokens, end.ms >= 0, name])
    }
    const atPath = openaiChat('m', { apiKey: 'k', baseUrl: `${upstream.url}/v1` })
    await generate({ model: atPath, prompt: 'Go', observers: [{ onAttempt: note }] })
    const about = (attempt: number) => ['/v1/chat/completions', attempt, 1, 'm']
    expect(seen).toEqual([
      about(1),
      about(1),
      [503, expect.any(Number), undefined, true, 'ApiError'],
      about(2),
      about(2),
      [200, undefined, 10, true, undefined],
    ])
  })

  it('has no query and no password of the address', async () => {
    const urls: string[] = []
    const fetch = async () => Response.json(chatBody('Hi'))
    const secretive = { ...openaiChat('m', { apiKey: 'k', fetch }), baseUrl: 'https://me:pass@host.example/v1' }
    const { codec } = secretive
    const encodeRequest: typeof codec.encodeRequest = (...args) => ({
      ...codec.encodeRequest(...args),
      path: '/x?key=secret',
    })
    const withQuery = { ...secretive, codec: { ...codec, encodeRequest } }
    await generate({ model: withQuery, prompt: 'Go', observers: [{ onAttempt: ({ url }) => void urls.push(url) }] })
    expect(urls).toEqual(['https://host.example/v1/x', 'https://host.example/v1/x'])
  })

  it('never says the key, in an error that quotes it either', async () => {
    upstream.answer(json({ error: { message: 'Wrong key sk-secret-123456' } }, 401))
    const seen: unknown[] = []
    const wrong = openaiChat('m', { apiKey: 'sk-secret-123456', baseUrl: upstream.url })
    const observers: Observer[] = [{ onAttempt: ({ end }) => void seen.push(end?.error) }]
    await generate({ model: wrong, prompt: 'Go', observers }).catch(() => {})
    expect(seen).toHaveLength(2)
    expect(`${JSON.stringify(seen)}${String(seen[1])}`).not.toContain('sk-secret')
    expect(seen[1]).toMatchObject({ status: 401 })
  })
})

describe('observers', () => {
  /** The names of an observer's calls, with a word about each. */
  function watching() {
    const told: string[] = []
    const runs = new Set<object>()
    const note = (what: string, { run, round }: { run: object; round: number }, word?: string) => {
      runs.add(run)
      told.push(`${what} ${round}${word === undefined ? '' : `: ${word}`}`)
    }
    const observer: Observer = {
      onRun: (about) => note('run', about),
      onRound: (about) =>
        note('round', about, about.end && (about.end.answer?.stopReason ?? String(about.end.error ?? 'left'))),
      onAttempt: (about) => note('attempt', about, about.end && String(about.end.status)),
      onFirstChunk: (about) => note('chunk', about),
      onTool: (about) => note('tool', about, about.end && String(about.end.result.content)),
      onEnd: (about) => note('end', about, about.result?.outcome ?? String(about.error ?? 'left')),
    }
    return { told, runs, observer }
  }

  it('are called at each step of a run, in order', async () => {
    const { told, runs, observer } = watching()
    upstream.answer(calling('f', 'c1'), chunks(chatText('done')))
    await generate(ask({ observers: [observer] }))
    expect(told).toEqual([
      ...['run 0', 'round 1', 'attempt 1', 'attempt 1: 200', 'round 1: tool_calls', 'tool 1', 'tool 1: ran f'],
      ...['round 2', 'attempt 2', 'chunk 2', 'attempt 2: 200', 'round 2: stop', 'end 2: answered'],
    ])
    expect(runs.size).toBe(1)
  })

  it('tell runs apart that go on at the same time, of one request', async () => {
    const { runs, told, observer } = watching()
    upstream.answer(done)
    const request = ask({ observers: [observer] })
    await Promise.all([generate(request), generate(request)])
    expect(runs.size).toBe(2)
    expect(told.filter((one) => one.startsWith('end'))).toEqual(Array(2).fill('end 1: answered'))
  })

  it.each([
    ['is left', 'left'],
    ['is aborted', 'Error: stop'],
  ])('a run that %s has an end, and so has its round', async (how, end) => {
    const { told, observer } = watching()
    upstream.answer(chunks(chatText('a', 'b').slice(0, -2), { after: 'hang' }))
    const controller = new AbortController()
    const read = async () => {
      for await (const { type } of stream(ask({ observers: [observer], signal: controller.signal }))) {
        if (type !== 'text_delta') continue
        if (how === 'is left') break
        controller.abort(new Error('stop'))
      }
    }
    await read().catch(() => {})
    expect(told.slice(-3)).toEqual(['attempt 1: 200', `round 1: ${end}`, `end 1: ${end}`])
  })

  it('a run that fails has its error', async () => {
    const { told, observer } = watching()
    upstream.answer(json({ error: { message: 'no' } }, 400))
    await generate(ask({ observers: [observer] })).catch(() => {})
    expect(told.slice(-3)).toEqual([
      'attempt 1: 400',
      expect.stringMatching(/^round 1: ApiError/),
      expect.stringMatching(/^end 1: ApiError/),
    ])
  })

  it('are never waited for, and what they throw or reject with is dropped', async () => {
    upstream.answer(calling('f', 'c1'), done)
    const fail = () => {
      throw new Error('observer')
    }
    const reject = () => Promise.reject(new Error('observer')) as never
    const never = () => new Promise(() => {}) as never
    const observers = [fail, reject, never].map(
      (act): Observer => ({ onRun: act, onRound: act, onAttempt: act, onTool: act, onEnd: act }),
    )
    const { outcome } = await generate(ask({ observers }))
    expect(outcome).toBe('answered')
  })
})

describe('lastCalls', () => {
  const results = ({ messages }: RunResult) => messages.filter(({ role }) => role === 'tool').length
  it('`keep` leaves the calls of the last round pending, and a run with approvals runs them', async () => {
    let ran = 0
    const counted = tool({ name: 'f', parameters: t.object({}), execute: () => ++ran })
    upstream.answer(calling('f', 'c1'), calling('f', 'c2'))
    const first = await generate(ask({ tools: [counted], maxRounds: 2, lastCalls: 'keep' }))
    expect(first).toMatchObject({ outcome: 'max_rounds', stopReason: 'max_rounds', pending: [{ id: 'c2' }] })
    expect([first.pending.length, ran, results(first)]).toEqual([1, 1, 1])
    upstream.answer(done)
    const second = await generate({ model: model(), tools: [counted], messages: first.messages, approvals: [] })
    expect([second.outcome, ran, results(second)]).toEqual(['answered', 2, 1])
  })

  it('`keep` changes nothing of a terminal tool, nor of an answer without calls', async () => {
    const end = tool({ name: 'end', parameters: t.object({}), terminal: true, execute: () => 1 })
    upstream.answer(calling('end', 'c1'))
    expect((await generate(ask({ tools: [end], maxRounds: 1, lastCalls: 'keep' }))).outcome).toBe('terminal_tool')
    upstream.answer(done)
    expect((await generate(ask({ maxRounds: 1, lastCalls: 'keep' }))).outcome).toBe('answered')
  })
})
