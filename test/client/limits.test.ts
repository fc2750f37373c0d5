/** Ends of a run although the model would continue, and calls that need special care. */
import { beforeEach, describe, expect, it } from 'vitest'
import { anthropic } from '../../src/formats/anthropic/index.ts'
import { geminiInteractions } from '../../src/formats/gemini-interactions/index.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { approval, budget, generate, generateObject, type RunRequest, stream, t, tool } from '../../src/index.ts'
import { rolesOf } from '../support/makers.ts'
import { ownUpstream } from '../support/own-upstream.ts'
import { chatBody, chatCalls, chatText, chunks, json, pause } from '../support/upstream.ts'

const upstream = ownUpstream()

/** The list of the current test; a tool that outlives its own goes on writing into the list of that. */
let ran: string[]
beforeEach(() => {
  ran = []
})
const step = tool({
  name: 'step',
  parameters: t.object({ at: t.optional(t.string()), ms: t.optional(t.integer()) }),
  async execute({ at = 'x', ms = 0 }) {
    const own = ran
    own.push(`start ${at}`)
    await pause(ms)
    own.push(`end ${at}`)
    return at
  },
})
const ask = (more: Partial<RunRequest> = {}): RunRequest => ({
  model: openaiChat('m', { apiKey: 'k', baseUrl: upstream.url }),
  ...(more.messages === undefined && { prompt: 'Go' }),
  tools: [step],
  ...more,
})
const calling = (at: string, id = `call_${at}`): [string, string, string] => [id, 'step', JSON.stringify({ at })]
const forEver = () => {
  let at = 0
  upstream.answer((response, asked) => json(chatBody(null, [calling(String(at++))]))(response, asked))
}

describe('a run ends', () => {
  it.each<[string, Partial<RunRequest>, string, number, number]>([
    ['after ten rounds by default [3.68]', {}, 'max_rounds', 10, 10],
    ['after as many rounds as it may take', { maxRounds: 3 }, 'max_rounds', 3, 3],
    ['when its calls are used up', { budget: budget({ maxToolCalls: 2 }) }, 'budget', 2, 2],
    ['when its tokens are used up', { budget: budget({ maxTokens: 37 }) }, 'budget', 3, 3],
    ['when its time is used up', { budget: budget({ maxTimeMs: 0 }) }, 'budget', 1, 1],
    ['when the caller says so', { stopWhen: ({ rounds }) => rounds === 4 }, 'stop_condition', 4, 4],
    ['when the caller says so later', { stopWhen: async ({ rounds }) => rounds === 4 }, 'stop_condition', 4, 4],
  ])('%s', async (_what, more, outcome, rounds, calls) => {
    forEver()
    const result = await generate(ask(more))
    expect(result).toMatchObject({ outcome, rounds })
    expect(ran).toHaveLength(2 * calls)
    expect(upstream.asked).toHaveLength(rounds)
  })

  it('at a terminal tool, whose arguments are the answer; nothing of the turn is run', async () => {
    upstream.answer(json(chatBody(null, [calling('a'), ['call_z', 'finish', '{"answer":42}']])))
    const finish = tool({ name: 'finish', terminal: true, execute: () => void ran.push('finish') })
    const { outcome, pending, rounds } = await generate(ask({ tools: [step, finish] }))
    expect({ outcome, rounds, ran }).toEqual({ outcome: 'terminal_tool', rounds: 1, ran: [] })
    expect(pending.at(-1)).toMatchObject({ name: 'finish', arguments: { answer: 42 } })
  })

  it('at a terminal tool only once its arguments fit: until then the model gets the reasons why they do not', async () => {
    const parameters = t.object({ answer: t.integer() })
    const finish = tool({ name: 'finish', parameters, terminal: true, execute: () => void ran.push('finish') })
    const turn = (args: string) => json(chatBody(null, [['call_z', 'finish', args]]))
    upstream.answer(turn('{"answer":"many"}'), turn('{"answer":'), turn('{"answer":42}'))
    const { outcome, pending, rounds } = await generate(ask({ tools: [finish] }))
    expect({ outcome, rounds, ran }).toEqual({ outcome: 'terminal_tool', rounds: 3, ran: [] })
    expect(pending).toMatchObject([{ arguments: { answer: 42 } }])
    const reason = expect.stringMatching('answer: must be an integer')
    expect(upstream.asked[1]?.body.messages).toMatchObject([{}, {}, { role: 'tool', content: reason }])
  })

  it('when the model has nothing to say three times over, and empty answers are not turns', async () => {
    upstream.answer(json(chatBody('')))
    const { outcome, rounds, messages } = await generate(ask())
    expect([outcome, rounds, rolesOf(messages)]).toEqual(['empty', 3, 'user'])
    upstream.answer(json(chatBody(' ')), json(chatBody('Here')))
    expect((await generate(ask())).outcome).toBe('answered')
  })

  it('when it may ask once, and the answer is empty', async () => {
    upstream.answer(json(chatBody('')))
    expect(await generate(ask({ maxRounds: 1 }))).toMatchObject({ outcome: 'empty', rounds: 1 })
  })
})

/** An answer of Anthropic. */
const said = (stop_reason: string, ...content: object[]) =>
  json({ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_reason, content, usage: {} })
const text = (value: string) => ({ type: 'text', text: value })
const claude = () => anthropic('m', { apiKey: 'k', baseUrl: upstream.url })

it('continues with a turn that the provider paused, sent back as it is', async () => {
  const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } }
  upstream.answer(said('pause_turn', search, text('Looking')), said('end_turn', search, text('Found')))
  const result = await generate(ask({ model: claude(), tools: [] }))
  expect(result).toMatchObject({ outcome: 'answered', rounds: 2, text: 'LookingFound' })
  expect(rolesOf(result.messages)).toBe('user assistant assistant')
  expect(upstream.asked[1]?.body.messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: [{ type: 'server_tool_use', id: 'srvtoolu_1' }, text('Looking')] },
  ])
})

describe('the text of a result', () => {
  const call = { type: 'tool_use', id: 'toolu_1', name: 'step', input: {} }

  it('has all parts of a turn that was paused, however often, and nothing of the turns before it', async () => {
    upstream.answer(
      said('pause_turn', text('Before ')),
      said('tool_use', text('the call'), call),
      said('pause_turn', text('One ')),
      said('pause_turn', text('two ')),
      said('end_turn', text('three')),
    )
    const { text: all, message, rounds } = await generate(ask({ model: claude() }))
    expect([all, message.content, rounds]).toEqual(['One two three', [text('three')], 5])
  })

  it('has the parts so far if it may not go on', async () => {
    upstream.answer(said('pause_turn', text('One ')), said('pause_turn', text('two ')))
    const result = await generate(ask({ model: claude(), maxRounds: 2 }))
    expect([result.text, result.outcome]).toEqual(['One two ', 'max_rounds'])
  })

  it('of Interactions has the hops of an answer that needed several requests', async () => {
    const hop = (status: string, value: string) => {
      const steps = [{ type: 'model_output', content: [text(value)] }]
      return json({ id: 'v1', status, model: 'm', continuation_token: 't', steps })
    }
    upstream.answer(hop('requires_continuation', 'One '), hop('completed', 'two'))
    const model = geminiInteractions('m', { apiKey: 'k', baseUrl: upstream.url })
    expect((await generate(ask({ model, tools: [] }))).text).toBe('One two')
  })

  it('is the text that a value is read from', async () => {
    upstream.answer(said('pause_turn', text('{"at":')), said('end_turn', text('"x"}')))
    const schema = t.object({ at: t.string() })
    expect((await generateObject({ model: claude(), prompt: 'x', schema })).object).toEqual({ at: 'x' })
  })
})

describe('the calls of a turn', () => {
  const slow = (at: string, ms: number): [string, string, string] => [`call_${at}`, 'step', JSON.stringify({ at, ms })]

  it('run at the same time, each request is reported before any result; results go back in the order of the calls', {
    meta: { promise: '3.46 3.50 3.61' },
  }, async () => {
    upstream.answer(chunks(chatCalls(slow('a', 30), slow('b', 5))), chunks(chatText('ok')))
    const events = await Array.fromAsync(stream(ask()))
    const told = events.flatMap((event) => {
      if (event.type === 'tool_start') return [`start ${event.call.id}`]
      return event.type === 'tool_result' ? [`result ${event.result.toolCallId}`] : []
    })
    expect(told).toEqual(['start call_a', 'start call_b', 'result call_b', 'result call_a'])
    const results = [{ tool_call_id: 'call_a' }, { tool_call_id: 'call_b' }]
    expect(upstream.asked[1]?.body.messages).toMatchObject([{}, {}, ...results])
  })

  it('run one after the other if the caller asks for that', async () => {
    upstream.answer(chunks(chatCalls(slow('a', 20), slow('b', 1))), chunks(chatText('ok')))
    await stream(ask({ toolMode: 'sequential' })).response
    expect(ran).toEqual(['start a', 'end a', 'start b', 'end b'])
  })

  it('run one after the other where a tool asks for that, after the others', async () => {
    const alone = tool({ ...step, name: 'alone', sequential: true } as never)
    const one: [string, string, string] = ['call_1', 'alone', '{"at":"1","ms":5}']
    const two: [string, string, string] = ['call_2', 'alone', '{"at":"2"}']
    upstream.answer(json(chatBody(null, [one, two, slow('c', 5)])), json(chatBody('ok')))
    await generate(ask({ tools: [step, alone] }))
    expect(ran).toEqual(['start c', 'end c', 'start 1', 'end 1', 'start 2', 'end 2'])
  })

  it('with one id for two calls run once each, as two calls', async () => {
    upstream.answer(json(chatBody(null, [calling('a', 'same'), calling('b', 'same')])), json(chatBody('ok')))
    await generate(ask())
    expect(ran.filter((what) => what.startsWith('start'))).toEqual(['start a', 'start b'])
    const sent = upstream.asked[1]?.body.messages as { role: string; tool_call_id?: string }[]
    const ids = sent.filter(({ role }) => role === 'tool').map(({ tool_call_id }) => tool_call_id)
    expect(new Set(ids).size).toBe(2)
  })

  it('run in each turn though the host counts its ids from 0 in every one, and the call log knows them apart', async () => {
    const keys: string[] = []
    const callLog = { claim: (key: string) => keys.push(key) > 0 }
    const turns = ['a', 'b'].map((at) => json(chatBody(null, [calling(at, 'functions.step:0')])))
    upstream.answer(...turns, json(chatBody('ok')))
    await generate(ask({ callLog }))
    expect(ran).toEqual(['start a', 'end a', 'start b', 'end b'])
    expect(keys).toEqual(['functions.step:0', 'functions.step:0#1'])
  })

  it('run except those that wait for consent, and then only these', async () => {
    const needsApproval = approval({ when: (call) => call.arguments.at !== 'free' })
    const careful = tool({ ...step, name: 'careful', needsApproval } as never)
    const events: string[] = []
    upstream.answer(
      chunks(chatCalls(calling('a'), ['call_p', 'careful', '{"at":"p"}'], ['call_f', 'careful', '{"at":"free"}'])),
      chunks(chatText('ok')),
    )
    const run = stream(ask({ tools: [step, careful] }))
    for await (const event of run) if (event.type === 'approval_request') events.push(event.call.id)
    const { messages, pending, outcome } = await run.response
    expect([outcome, events, pending.map(({ id }) => id)]).toEqual(['approval', ['call_p'], ['call_p']])
    expect(ran.filter((what) => what.startsWith('start'))).toEqual(['start a', 'start free'])
    ran.length = 0
    const approvals = [{ toolCallId: 'call_p', approved: true }]
    await stream(ask({ tools: [step, careful], messages, approvals })).response
    expect(ran).toEqual(['start p', 'end p'])
    expect(upstream.asked[1]?.body.messages).toMatchObject([
      {},
      { tool_calls: [{ id: 'call_a' }, { id: 'call_p' }, { id: 'call_f' }] },
      { tool_call_id: 'call_a' },
      { tool_call_id: 'call_p', content: 'p' },
      { tool_call_id: 'call_f' },
    ])
  })

  it('are covered by the consent to the calls of before, and not by that to calls to come', async () => {
    const careful = tool({ ...step, needsApproval: approval() } as never)
    upstream.answer(json(chatBody(null, [calling('a', 'call_0')])))
    const first = await generate(ask({ tools: [careful] }))
    upstream.answer(json(chatBody(null, [calling('a', 'call_0')])))
    const approvals = [{ toolCallId: 'call_0', approved: true }]
    const second = await generate(ask({ tools: [careful], messages: first.messages, approvals }))
    expect([second.outcome, ran]).toEqual(['approval', ['start a', 'end a']])
  })

  it('wait for a person when the question whether they need one fails', async () => {
    const when = () => {
      throw new Error('the policy is down')
    }
    const careful = tool({ ...step, needsApproval: approval({ when }) } as never)
    upstream.answer(json(chatBody(null, [calling('a')])))
    expect(await generate(ask({ tools: [careful] }))).toMatchObject({ outcome: 'approval' })
    expect(ran).toEqual([])
  })

  it.each([{}, { reject: true }, { reject: undefined }, { rejected: 'why' }])(
    'do not run where the verdict is %j, which gives no reason in text',
    async (verdict) => {
      upstream.answer(json(chatBody(null, [calling('a')])), json(chatBody('Then not')))
      const { outcome, messages } = await generate(ask({ onToolRequest: () => verdict as never }))
      expect({ outcome, ran }).toEqual({ outcome: 'answered', ran: [] })
      expect(messages[2]).toMatchObject({ status: 'error', content: 'The call was refused' })
    },
  )

  it('fail the run with what the function that says when to stop throws', async () => {
    upstream.answer(json(chatBody(null, [calling('a')])))
    const stopWhen = () => Promise.reject(new RangeError('mine'))
    await expect(generate(ask({ stopWhen }))).rejects.toThrow(new RangeError('mine'))
  })

  const never = () => new Promise<never>(() => {})
  it.each<[string, Partial<RunRequest>]>([
    ['the caller never says whether a call may run', { onToolRequest: never }],
    ['the call log never answers', { callLog: { claim: never } }],
    ['nobody says whether a call needs consent', { tools: [{ ...step, needsApproval: approval({ when: never }) }] }],
    ['the arguments of a terminal tool are checked for ever', { tools: [{ ...step, terminal: true, parse: never }] }],
    ['the caller never says whether to stop', { stopWhen: never }],
    ['what hears of results never settles', { onToolResult: never }],
    ['the tool never settles', { tools: [{ ...step, execute: never }] }],
  ])('do not hold up a run that is cancelled while %s', async (_what, more) => {
    upstream.answer(chunks(chatCalls(calling('a'))))
    await expect(stream(ask({ ...more, signal: AbortSignal.timeout(60) })).response).rejects.toMatchObject({
      name: 'TimeoutError',
    })
  })

  it('that ran before a run was cancelled leave their results in what was said', async () => {
    upstream.answer(chunks(chatCalls(calling('a'), slow('b', 200))))
    const controller = new AbortController()
    const run = stream(ask({ signal: controller.signal, onToolResult: () => controller.abort('stop') }))
    await expect(run.response).rejects.toBe('stop')
    expect(rolesOf(run.messages)).toBe('user assistant tool tool')
    expect(run.messages.slice(2)).toMatchObject([
      { toolCallId: 'call_a', status: 'success' },
      { toolCallId: 'call_b', status: 'error' },
    ])
  })
})

describe('what is offered', () => {
  it('is each name once, and the last of a name is the one that runs', { meta: { promise: '3.23' } }, async () => {
    upstream.answer(json(chatBody(null, [calling('a')])), json(chatBody('ok')))
    const other = tool({ ...step, description: 'The other', execute: () => void ran.push('other') } as never)
    await generate(ask({ tools: [step, other] }))
    expect(upstream.asked[0]?.body.tools).toMatchObject([{ function: { name: 'step', description: 'The other' } }])
    expect(upstream.asked[0]?.body.tools).toHaveLength(1)
    expect(ran).toEqual(['other'])
  })
})

it('never ends by a clock that was set to never', async () => {
  upstream.answer(json(chatBody('ok')))
  const never = Number.POSITIVE_INFINITY
  const timeouts = { firstByteMs: never, idleMs: never, totalMs: never }
  await expect(generate(ask({ timeouts, toolTimeoutMs: never }))).resolves.toMatchObject({ outcome: 'answered' })
})
