import { describe, expect, it } from 'vitest'
import { toolCallsOf } from '../../src/core/content.ts'
import { legalId } from '../../src/core/ids.ts'
import type { ContentBlock, Context, Message, Opaque, ToolCall } from '../../src/core/messages.ts'
import type { Target } from '../../src/core/target.ts'
import { block } from '../../src/messages/block.ts'
import { prepare } from '../../src/prepare/prepare.ts'
import { invalidCall, rolesOf } from '../support/makers.ts'
import { wires } from '../support/targets.ts'

const call = (id: string, more: Partial<ToolCall> = {}) => block.toolCall(id, 'weather', {}, more)
const assistant = (...content: ContentBlock[]): Message => ({ role: 'assistant', content })
const result = (toolCallId: string, content = 'sunny'): Message => ({
  role: 'tool',
  toolCallId,
  name: 'weather',
  content,
})
const user = (content: string): Message => ({ role: 'user', content })
const noResult = 'No result is available for this call; do not assume that it ran'

function prepared(
  messages: readonly Message[],
  target: Target = wires.chat,
  more: Partial<Context> = {},
  model = 'some',
) {
  const { context, losses } = prepare({ ...more, messages }, target, { model, strict: false })
  return { context, losses }
}
const callsOf = (message: Message | undefined) => (message === undefined ? [] : toolCallsOf(message))
const messagesOf = (...args: Parameters<typeof prepared>) => prepared(...args).context.messages
const summary = (messages: readonly Message[]) =>
  messages.map((one) => (one.role === 'tool' ? `${one.toolCallId}: ${one.content}` : one.role))

describe('calls and their results', () => {
  it('leaves a conversation that is in order as it is: the very same value, and nothing to report', () => {
    const context: Context = { messages: [user('hi'), assistant(call('call_1')), result('call_1')] }
    const done = prepare(context, wires.chat, { model: 'gpt' })
    expect(done.context).toEqual(context)
    expect(done.context.messages).toBe(context.messages)
    expect(done.losses).toEqual([])
  })

  it('gives a call without a result an error result that claims nothing', { meta: { promise: '0.51 2.19' } }, () => {
    const { context, losses } = prepared([user('hi'), assistant(call('call_1')), user('go on')])
    expect(context.messages[2]).toEqual({ ...result('call_1', noResult), status: 'error' })
    expect(context.messages[3]).toEqual(user('go on'))
    expect(losses).toMatchObject([{ action: 'invented', path: 'messages[1]', severity: 'minor' }])
  })

  it('gives a missing result to the call in the middle, where one of three was lost', () => {
    const messages = [assistant(call('a'), call('b'), call('c')), result('a'), result('c')]
    expect(summary(messagesOf(messages))).toEqual(['assistant', 'a: sunny', `b: ${noResult}`, 'c: sunny'])
  })

  it('turns a result without a call into user text that says what it was', { meta: { promise: '0.51' } }, () => {
    const { context, losses } = prepared([user('hi'), result('call_9')])
    expect(context.messages[1]).toEqual({
      role: 'user',
      content: '<tool_result id="call_9" name="weather">\nsunny\n</tool_result>',
    })
    expect(losses).toMatchObject([{ action: 'changed', path: 'messages[1]' }])
  })

  it('drops the same result again, and keeps another result of the same call as text', () => {
    const messages = [assistant(call('a')), result('a'), result('a'), result('a', 'rain')]
    expect(summary(messagesOf(messages))).toEqual(['assistant', 'a: sunny', 'user'])
  })

  it('puts results right after their calls, in the order of the calls', () => {
    const messages = [assistant(call('a'), call('b', { index: 1 })), user('wait'), result('b', '2'), result('a', '1')]
    const { context, losses } = prepared(messages)
    expect(summary(context.messages)).toEqual(['assistant', 'a: 1', 'b: 2', 'user'])
    expect(losses.map((loss) => loss.path)).toEqual(['messages[3]', 'messages[2]'])
  })

  it('makes ids unique over the conversation, and each result follows its own call', {
    meta: { promise: '0.60 0.51' },
  }, () => {
    const id = 'gemini_0'
    const messages = [assistant(call(id)), result(id, 'first'), assistant(call(id)), result(id, 'second')]
    const [, one, turn, two] = messagesOf(messages)
    expect(one).toMatchObject({ toolCallId: 'gemini_0', content: 'first' })
    expect(two).toMatchObject({ content: 'second' })
    const renamed = callsOf(turn)[0]?.id
    expect(renamed).not.toBe('gemini_0')
    expect(two).toMatchObject({ toolCallId: renamed })
  })

  it('gives two calls of one turn with one id two ids, and their results in order', () => {
    const messages = [assistant(call('x'), call('x')), result('x', '1'), result('x', '2')]
    const [turn, one, two] = messagesOf(messages)
    const ids = callsOf(turn).map((block) => block.id)
    expect(new Set(ids).size).toBe(2)
    expect([one, two]).toMatchObject([
      { toolCallId: ids[0], content: '1' },
      { toolCallId: ids[1], content: '2' },
    ])
  })

  it('gives an orphan of an earlier turn no result that belongs to a later call of the same id', () => {
    const messages = [assistant(call('x')), user('again'), assistant(call('x')), result('x', 'late')]
    const [, made, , , answer] = messagesOf(messages)
    expect(made).toMatchObject({ role: 'tool', status: 'error', content: noResult })
    expect(answer).toMatchObject({ role: 'tool', content: 'late' })
  })

  it.each([
    ['functions.weather:0', wires.anthropic],
    ['call_0123456789', wires.mistral],
    [`call_${'x'.repeat(60)}`, wires.chat],
  ])('makes the id %s legal, for call and result alike, the same each time', (id, rules) => {
    const messages = [user('hi'), assistant(call(id)), result(id)]
    const [, turn, answer] = messagesOf(messages, rules)
    const legal = callsOf(turn)[0]?.id ?? ''
    expect(legal).toMatch(rules.callId.pattern)
    expect(legal.length).toBeLessThanOrEqual(rules.callId.maxLength)
    expect(answer).toMatchObject({ toolCallId: legal })
    expect(messagesOf(messages, rules)).toEqual(messagesOf(messages, rules))
  })

  it('makes names of tools legal in calls and results, as the exported function does for definitions', () => {
    const [, turn, answer] = messagesOf(
      [user('hi'), assistant(call('a', { name: 'get weather' })), { role: 'tool', toolCallId: 'a', content: '' }],
      wires.anthropic,
    )
    const name = legalId('get weather', wires.anthropic.toolName)
    expect(name).toMatch(/^get_weather_h\w{8}$/)
    expect(turn?.content).toMatchObject([{ name }])
    expect(answer).toMatchObject({ name })
  })

  it('finds the name of a tool through the call, where the result has none', { meta: { promise: '2.18 0.77' } }, () => {
    const [, answer] = messagesOf([assistant(call('a')), { role: 'tool', toolCallId: 'a', content: 'x' }])
    expect(answer).toMatchObject({ name: 'weather' })
  })

  it('pairs results without ids by name, in order: Ollama and older Gemini have none', () => {
    const messages: Message[] = [
      assistant(call('call_0', { name: 'time' }), call('call_1')),
      { role: 'tool', toolCallId: '', name: 'weather', content: 'sunny' },
      { role: 'tool', toolCallId: '', name: 'time', content: 'noon' },
    ]
    expect(summary(messagesOf(messages))).toEqual(['assistant', 'call_0: noon', 'call_1: sunny'])
  })

  it('takes time that grows as the conversation does, whatever its ids', () => {
    const messages: Message[] = []
    for (let at = 0; at < 20_000; at++) messages.push(assistant(call('x')), result(at % 2 === 0 ? 'x' : `stray_${at}`))
    const { context } = prepared(messages, wires.anthropic)
    expect(context.messages.filter((one) => one.role === 'tool')).toHaveLength(20_000)
  })

  it('says that a call has another number than it had', () => {
    const { losses } = prepared([assistant(call('a', { index: 4 })), result('a')])
    const reason = 'the call "a" is number 0 of its turn'
    expect(losses).toEqual([{ action: 'changed', path: 'messages[0].content[0]', reason, severity: 'info' }])
  })

  it('numbers the calls of a turn by their place', { meta: { promise: '0.48' } }, () => {
    const [turn] = messagesOf([assistant(call('a', { index: 4 }), call('b'))])
    expect(callsOf(turn).map((block) => block.index)).toEqual([0, 1])
  })

  it('takes the call of a tool that the provider ran for none of ours', { meta: { promise: '4.84' } }, () => {
    const messages = [
      assistant({ type: 'server_tool_call', id: 's', name: 'web_search', arguments: {} }, block.text('so')),
    ]
    expect(prepared(messages).losses).toEqual([])
  })

  it('folds calls of the field into the content, once', { meta: { promise: '4.75 2.07' } }, () => {
    const one = call('a')
    const two = call('b', { index: 1 })
    const messages: Message[] = [{ role: 'assistant', content: [one], toolCalls: [one, two] }, result('a'), result('b')]
    expect(messagesOf(messages)[0]).toEqual({ role: 'assistant', content: [one, two] })
  })

  it('makes messages of results that stand as blocks in a user message, before its text', {
    meta: { promise: '4.28 0.41' },
  }, () => {
    const messages: Message[] = [
      assistant(call('a')),
      {
        role: 'user',
        content: [block.text('and now?'), { type: 'tool_result', toolCallId: 'a', content: 'no', isError: true }],
      },
    ]
    expect(messagesOf(messages).slice(1)).toEqual([
      { ...result('a', 'no'), status: 'error' },
      { role: 'user', content: [block.text('and now?')] },
    ])
  })

  it('leaves results alone whose calls only the provider has, where the answer chains', {
    meta: { promise: '0.89' },
  }, () => {
    const context = { providerState: { previousResponseId: 'resp_1' } }
    expect(prepared([result('call_1')], wires.responses, context).losses).toEqual([])
    expect(messagesOf([result('call_1')], wires.chat, context)[0]?.role).toBe('user')
    // Gemini Interactions takes results first, although a conversation begins with a user message there.
    expect(prepared([result('call_1')], { ...wires.anthropic, chains: true }, context).losses).toEqual([])
    // Another message changes, so the conversation is written again.
    expect(summary(messagesOf([result('call_1'), assistant(call('call_2'))], wires.responses, context))).toEqual([
      'call_1: sunny',
      'assistant',
      `call_2: ${noResult}`,
    ])
  })
})

/** "All content must be type `text` if `is_error` is true": vellum-ai/vellum-assistant#18387. */
it('a failed result holds only text where nothing else is taken; its media follow, and nothing is lost', () => {
  const shot: ContentBlock = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }
  const content = [block.plainText('no', { title: 'log' }), shot]
  const failed = { ...result('a'), content, status: 'error' } as Message
  const rules: Target = { ...wires.anthropic, textErrors: true }
  const [, , told, media] = messagesOf([user('hi'), assistant(call('a')), failed], rules)
  expect(told?.content).toEqual([block.text('no'), block.text('[image: see the message after the results]')])
  expect(media).toMatchObject({ role: 'user', content: [{ type: 'text' }, shot, { type: 'text' }] })
  expect(messagesOf([user('hi'), assistant(call('a')), failed], wires.anthropic)[2]?.content).toEqual(failed.content)
})

describe('invalid calls', () => {
  const error = 'The arguments are not JSON'
  const invalid = invalidCall({ id: 'bad', name: 'weather', argumentsText: '{"city": "Par', error })

  it('sends an invalid call as one with no arguments but its text, and an error result', {
    meta: { promise: '4.81' },
  }, () => {
    const messages: Message[] = [
      { role: 'assistant', content: [call('good', { index: 1 })], invalidToolCalls: [invalid] },
      result('good'),
    ]
    const [turn, failed, good] = messagesOf(messages)
    expect(turn).toEqual({
      role: 'assistant',
      content: [call('bad', { argumentsText: '{"city": "Par' }), call('good', { index: 1 })],
    })
    expect(failed).toEqual({ ...result('bad', `The call was not run: ${error}`), status: 'error' })
    expect(good).toEqual(result('good'))
  })

  it('keeps the error result that the conversation has for it already', () => {
    const messages: Message[] = [
      { role: 'assistant', content: null, invalidToolCalls: [invalid] },
      result('bad', 'Bad JSON'),
    ]
    expect(summary(messagesOf(messages))).toEqual(['assistant', 'bad: Bad JSON'])
  })

  it('drops fragments that were never put together, and says so', () => {
    const messages = [assistant(block.text('x'), { type: 'tool_call_chunk', index: 0, argumentsDelta: '{' })]
    const { context, losses } = prepared(messages)
    expect(context.messages).toEqual([assistant(block.text('x'))])
    expect(losses).toMatchObject([{ action: 'dropped', path: 'messages[0].content[1]' }])
  })
})

describe('turns that failed or are empty', () => {
  it.each(['error', 'aborted', 'interrupted'] as const)(
    'drops a turn that ended as "%s" before it said anything',
    (stopReason) => {
      const content = [block.reasoning('hm'), block.text('')]
      const failed: Message = { role: 'assistant', content, stopReason }
      const { context, losses } = prepared([user('hi'), failed, user('hello?')], wires.ollama)
      expect(context.messages).toEqual([user('hi'), user('hello?')])
      expect(losses).toMatchObject([{ action: 'dropped', path: 'messages[1]' }])
    },
  )

  it('keeps what a cut turn had said', () => {
    const cut: Message = { role: 'assistant', content: 'Once upon', stopReason: 'aborted' }
    expect(messagesOf([user('hi'), cut])).toEqual([user('hi'), cut])
  })

  it('drops blank text and empty messages where the wire refuses them, and keeps an empty result', () => {
    const messages: Message[] = [
      { role: 'system', content: '' },
      user(' \n'),
      user('hi'),
      assistant(block.text(' '), call('a')),
      result('a', ''),
    ]
    expect(messagesOf(messages, wires.anthropic)).toEqual([user('hi'), assistant(call('a')), result('a', '')])
    expect(messagesOf(messages, wires.chat)).toHaveLength(5)
  })

  it('drops neither a turn with only calls nor its null content', { meta: { promise: '2.20 4.36' } }, () => {
    const messages: Message[] = [{ role: 'assistant', content: null, toolCalls: [call('a')] }, result('a')]
    expect(messagesOf(messages, wires.chat)[0]).toEqual(assistant(call('a')))
  })

  it('drops a system text of nothing where the wire refuses it', () => {
    expect(prepared([user('hi')], wires.anthropic, { system: ' ' }).context).toEqual({ messages: [user('hi')] })
  })
})

describe('reasoning and proofs', () => {
  const data = { signature: 'c2ln' }
  const signed = (provider: string, format: string, model: string): Opaque => ({ provider, format, model, data })
  const claude = signed('anthropic', 'anthropic', 'claude-sonnet-5')
  const thought = (text: string, opaque: Opaque) => block.reasoning(text, { opaque })
  const turn = (one: ContentBlock) => [user('hi'), assistant(one, block.text('so')), user('and?')]
  const said = (block: ContentBlock, rules: Target, model = 'claude-sonnet-5') =>
    messagesOf(turn(block), rules, {}, model)[1]?.content

  it('sends signed reasoning back unchanged to the model family it came from', {
    meta: { promise: '0.43 0.76' },
  }, () => {
    expect(prepared(turn(thought('', claude)), wires.anthropic, {}, 'claude-sonnet-5-20261101').losses).toEqual([])
  })

  it.each([
    ['another model', wires.anthropic, 'claude-opus-5'],
    ['another provider of the format', { ...wires.anthropic, provider: 'minimax' }, 'claude-sonnet-5'],
    ['another format', wires.chat, 'gpt-6'],
  ])('keeps no proof for %s', (_, rules, model) => {
    expect(said(thought('hm', claude), rules, model)).toEqual([block.text('so')])
  })

  it('makes foreign reasoning text, or keeps it without the proof, as the wire has it', () => {
    expect(said(thought('hm', claude), wires.gemini)).toEqual([block.text('hm'), block.text('so')])
    expect(said(thought('hm', claude), wires.ollama)).toEqual([block.reasoning('hm'), block.text('so')])
  })

  it.each(['gemini', 'ollama', 'chat'] as const)(
    'drops redacted reasoning of another provider for %s: it says nothing',
    (wire) => {
      const { losses } = prepared(turn(thought('', claude)), wires[wire])
      expect(losses).toMatchObject([{ action: 'dropped', path: 'messages[1].content[0]' }])
    },
  )

  it('keeps an empty text that carries a signature of the target, and drops one that carries another', () => {
    const google = signed('google', 'gemini', 'gemini-3-pro')
    const messages = [user('hi'), assistant(block.text('so'), block.text('', { opaque: google }))]
    expect(messagesOf(messages, wires.gemini, {}, 'gemini-3-pro')[1]?.content).toHaveLength(2)
    expect(messagesOf(messages, wires.chat)[1]?.content).toHaveLength(1)
  })

  it('takes the foreign proof off a call, and leaves the call', () => {
    const google = signed('google', 'gemini', 'gemini-3-pro')
    const messages = [user('hi'), assistant(call('a', { opaque: google })), result('a')]
    expect(messagesOf(messages, wires.anthropic)[1]).toEqual(assistant(call('a')))
  })

  it('drops reasoning that nothing follows, and with it a turn of only reasoning', () => {
    const alone: Message = { role: 'assistant', content: [thought('hm', claude)], stopReason: 'length' }
    expect(messagesOf([user('hi'), alone], wires.anthropic, {}, 'claude-sonnet-5')).toEqual([user('hi')])
  })
})

describe('places', () => {
  it('leaves instructions at the head, and tags later ones as what they were', { meta: { promise: '2.14' } }, () => {
    const messages: Message[] = [
      { role: 'system', content: 'one' },
      { role: 'developer', content: 'two' },
      user('hi'),
      { role: 'developer', content: 'three' },
    ]
    expect(messagesOf(messages, wires.chat)).toEqual(messages)
    expect(messagesOf(messages, wires.anthropic)).toEqual([
      ...messages.slice(0, 3),
      { role: 'user', content: '<developer>\nthree\n</developer>' },
    ])
  })

  it('begins with a user where the wire wants one, after the instructions', () => {
    const messages: Message[] = [
      { role: 'system', content: 'one' },
      { role: 'assistant', content: 'Hello!' },
    ]
    const { context, losses } = prepared(messages, wires.anthropic)
    expect(rolesOf(context.messages)).toBe('system user assistant')
    expect(losses).toMatchObject([{ action: 'invented' }])
  })

  it('puts an assistant between a result and a user where the wire wants one', () => {
    const messages = [user('hi'), assistant(call('abcdefghi')), result('abcdefghi'), user('go on')]
    expect(rolesOf(messagesOf(messages, wires.mistral))).toBe('user assistant tool assistant user')
  })
})

describe('media in results', () => {
  const image: ContentBlock = { type: 'image', data: 'aGk=', mimeType: 'image/png' }
  const shot: Message = { ...result('a'), content: [block.text('done'), image] } as Message
  const messages = [user('hi'), assistant(call('a'), call('b', { index: 1 })), shot, result('b')]

  it('stay where the wire has a place for them', () => {
    expect(prepared(messages, wires.anthropic).losses).toEqual([])
  })

  it('move to a user message after all results, with the call they came from, and a pointer in their place', () => {
    const { context, losses } = prepared([...messages, user('and?')])
    expect(context.messages.slice(2)).toEqual([
      { ...shot, content: [block.text('done'), block.text('[image: see the message after the results]')] },
      result('b'),
      {
        role: 'user',
        content: [block.text('<tool_result id="a" name="weather">'), image, block.text('</tool_result>')],
      },
      user('and?'),
    ])
    expect(losses).toMatchObject([{ action: 'changed', path: 'messages[2].content[1]', severity: 'minor' }])
  })
})

describe('text', () => {
  it('loses halves of characters, in arguments and their keys too', () => {
    const args = { 'k\ud800': ['\udc00', '👋'] }
    const messages = [user('cut \ud83d'), assistant(call('a', { arguments: args, argumentsText: '{}' })), result('a')]
    const [said, turn] = messagesOf(messages)
    expect(said).toEqual(user('cut \ufffd'))
    expect(turn?.content).toMatchObject([{ arguments: { 'k\ufffd': ['\ufffd', '👋'] } }])
  })

  it('keeps a key named __proto__ a key', () => {
    const args = JSON.parse('{"__proto__": "\\udc00"}')
    const [turn] = messagesOf([assistant(call('a', { arguments: args })), result('a')])
    const prepared = callsOf(turn)[0]?.arguments ?? {}
    expect(Object.entries(prepared)).toEqual([['__proto__', '\ufffd']])
  })
})

it.each([[[block.text('Be brief')]], ['?']] as const)('a system text of one piece stays: %j', (system) => {
  // Something else changes, so that the context is made again.
  const { context } = prepared([user('hi'), { role: 'assistant', content: '' }, user('there')], wires.anthropic, {
    system,
  })
  expect(context.system).toEqual(system)
})

describe('a system text that is empty', () => {
  it.each(['', []])('%j is left out where the wire refuses it, which is reported', (system) => {
    const { context, losses } = prepared([user('hi')], wires.anthropic, { system })
    expect(context.system).toBeUndefined()
    expect(losses).toMatchObject([{ action: 'dropped', path: 'system', reason: 'it is empty' }])
    expect(prepared([user('hi')], { ...wires.anthropic, refusesEmpty: false } as Target, { system }).losses).toEqual([])
  })
})

it('takes an empty list of invalid calls out of a turn, and reports it', () => {
  const { context, losses } = prepared([
    user('Hi'),
    { ...assistant(block.text('Hello')), invalidToolCalls: [] } as Message,
  ])
  expect(context.messages[1]).toEqual(assistant(block.text('Hello')))
  expect(losses).toMatchObject([{ action: 'dropped', path: 'messages[1].invalidToolCalls' }])
})
