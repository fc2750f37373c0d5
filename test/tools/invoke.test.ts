import { describe, expect, it } from 'vitest'
import { parseArguments } from '../../src/core/content.ts'
import { message } from '../../src/core/message.ts'
import { type InvokeOptions, invokeTool, toToolMessage } from '../../src/tools/run.ts'
import * as t from '../../src/tools/schema-builder.ts'
import { tool } from '../../src/tools/tool.ts'
import type { Tool, ToolContext, ToolResult } from '../../src/tools/types.ts'
import { callOf } from '../support/makers.ts'
import { brokenCall, call } from './calls.ts'

function named(...tools: Tool[]): ReadonlyMap<string, Tool> {
  return new Map(tools.map((one) => [one.name, one]))
}

const add = tool({
  name: 'add',
  parameters: t.object({ x: t.number(), y: t.number() }),
  execute: ({ x, y }) => x + y,
})

const cyclic: { self?: unknown } = {}
cyclic.self = cyclic
let deep: unknown = 1
for (let at = 0; at < 100_000; at++) deep = [deep]
const fails = () => {
  throw new Error('no')
}

/** The outcome of a tool that does this. */
function outcomeOf(execute: (args: never, context: ToolContext) => unknown, options: InvokeOptions = {}) {
  return invokeTool(call('odd'), new Map([['odd', { name: 'odd', execute }]]), options)
}

describe('a call', () => {
  it('is run with its arguments by name, and its result is bound to it', {
    meta: { promise: '3.54 3.55 3.58 3.62' },
  }, async () => {
    const made = call('add', '{"y":2,"x":40}')
    const result = await invokeTool(made, named(add))
    const success = { status: 'success', content: '42', value: 42 }
    expect(result).toEqual({ call: made, toolCallId: 'call_1', name: 'add', ...success })
    expect(result.call).toBe(made)
    expect(result).not.toHaveProperty('error') // [3.59]
  })

  it('is not run by the tool of its name in another namespace', async () => {
    const format = 'openai-responses'
    const inCrm = { ...add, providerData: { [format]: { namespace: { name: 'crm', description: 'Customers' } } } }
    const from = (namespace: string) => ({ ...call('add', '{"x":1,"y":2}'), providerData: { [format]: { namespace } } })
    expect(await invokeTool(from('crm'), named(inCrm))).toMatchObject({ status: 'success', content: '3' })
    expect(await invokeTool(from('erp'), named(inCrm))).toMatchObject({ error: { kind: 'unknown_tool' } })
    expect(await invokeTool(from('crm'), named(add))).toMatchObject({ status: 'success' }) // it names none
  })

  it('is handled in three steps: call, run, a message with its id and name', {
    meta: { promise: '0.50 0.20 0.21 0.22' },
  }, async () => {
    const told = toToolMessage(await invokeTool(call('add', '{"x":1,"y":2}', 'toolu_9'), named(add)))
    expect(told).toEqual({ role: 'tool', toolCallId: 'toolu_9', name: 'add', content: '3', status: 'success' })
  })

  it('has an id, a name, decoded arguments, an index and is complete; the tool is looked up', {
    meta: { promise: '0.45 0.46 0.47 0.48 0.49 3.57' },
  }, () => {
    expect(call('add', '{"x":1}', 'call_a')).toEqual(callOf({ x: 1 }, { id: 'call_a', name: 'add' }))
  })

  it('of an unknown tool is a result that names the existing tools, and nothing is thrown', {
    meta: { promise: '3.52' },
  }, async () => {
    const { status, content, error } = await invokeTool(call('subtract'), named(add))
    expect({ status, kind: error?.kind }).toEqual({ status: 'error', kind: 'unknown_tool' })
    expect(content).toBe('Unknown tool "subtract"; the tools are: "add"')
    expect((await invokeTool(call('subtract'), new Map())).content).toMatch(/the tools are: none$/)
  })

  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
    'of a tool named %s finds no function that every object has',
    async (name) => {
      expect((await invokeTool(call(name), named(add))).error?.kind).toBe('unknown_tool')
    },
  )

  it('of a tool that is only a definition is not run here', async () => {
    expect((await invokeTool(call('add'), new Map([['add', { name: 'add' }]]))).error?.kind).toBe('unknown_tool')
  })

  it.each([
    ['{"x":1}', 'y: is missing'],
    ['{"x":1,"y":"2"}', 'y: must be a number'],
    ['{"x":1,"y":2,"z":3}', 'z: is not a parameter'],
  ])(
    'with the arguments %s is not run, and the model gets the reason',
    { meta: { promise: '3.53' } },
    async (args, problem) => {
      let ran = 0
      const counted = tool({ ...add, execute: () => ++ran } as never)
      const result = await invokeTool(call('add', args), named(counted))
      const content = `The arguments do not fit: ${problem}`
      expect(result).toMatchObject({ error: { kind: 'invalid_arguments' }, content })
      expect(ran).toBe(0)
    },
  )

  it.each(['{"x":1', '[1]', 'true', '"x"', '{"x":1}}', "{'x':1}", `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`])(
    'that is invalid, since its arguments are %.20s, is not run',
    { meta: { promise: '4.81' } },
    async (args) => {
      let ran = 0
      const counted = tool({ name: 'add', execute: () => ++ran })
      const { error, content } = await invokeTool(brokenCall(args), named(counted))
      expect({ kind: error?.kind, ran }).toEqual({ kind: 'invalid_arguments', ran: 0 })
      expect(content).toMatch(/^The arguments are /)
    },
  )

  it('passes the arguments unchecked, with their nulls, if the tool requires that', {
    meta: { promise: '3.21' },
  }, async () => {
    const seen: unknown[] = []
    const raw = tool({ ...add, convert: false, execute: (args: unknown) => void seen.push(args) } as never)
    await invokeTool(call('add', '{"x":null,"z":"?"}'), named(raw))
    expect(seen).toEqual([{ x: null, z: '?' }])
  })

  it('drops null for optional values at every depth, and keeps it if it is data', async () => {
    const seen: unknown[] = []
    const parameters = {
      type: 'object',
      properties: {
        must: { type: ['string', 'null'] },
        may: { type: 'string' },
        list: { type: 'array', items: { type: 'object', properties: { may: { type: 'string' } } } },
        map: { type: 'object' },
      },
      required: ['must'],
    }
    const tools = named(tool({ name: 'a', parameters, execute: (args) => void seen.push(args) }))
    await invokeTool(call('a', '{"must":null,"may":null,"list":[{"may":null}],"map":{"k":null}}'), tools)
    expect(seen).toEqual([{ must: null, list: [{}], map: { k: null } }])
  })

  it('takes `__proto__` for an argument like any other, and touches no prototype', async () => {
    const seen: object[] = []
    const tools = named(tool({ name: 'a', execute: (args) => void seen.push(args) }))
    await invokeTool(call('a', '{"__proto__":{"polluted":true},"constructor":{"prototype":1}}'), tools)
    expect(Object.keys(seen[0] ?? {})).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(seen[0])).toBe(Object.prototype)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    const closed = named(tool({ name: 'a', parameters: t.object({}), execute: () => 'ran' }))
    expect(await invokeTool(call('a', '{"__proto__":1}'), closed)).toMatchObject({
      error: { kind: 'invalid_arguments' },
      content: 'The arguments do not fit: __proto__: is not a parameter',
    })
  })

  it('with a hundred thousand wrong arguments is refused, and in few words', async () => {
    const args = `{${Array.from({ length: 100_000 }, (_, at) => `"k${at}":1`).join(',')}}`
    const made = call('add', args)
    const { error, content } = await invokeTool(made, named(add))
    expect(error?.kind).toBe('invalid_arguments')
    expect((content as string).length).toBeLessThan(4200)
  })
})

it('reads a number of a million digits and a key of a megabyte as JSON does', () => {
  expect(parseArguments(`{"n":${'9'.repeat(1_000_000)}}`)).toEqual({ value: { n: Number.POSITIVE_INFINITY } })
  expect(parseArguments(`{"${'k'.repeat(1_000_000)}":1}`)).toHaveProperty('value')
  const many = parseArguments(`{${'"a":1,'.repeat(100_000)}"a":2}`)
  expect(many).toEqual({ value: { a: 2 } })
})

describe('what a tool returns', () => {
  const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' } as const

  it.each<[string, unknown, unknown]>([
    ['text', 'sunny', 'sunny'],
    ['nothing', undefined, 'Done'],
    ['null', null, 'null'],
    ['a number', 25, '25'],
    ['a big integer', 10n ** 30n, '"1000000000000000000000000000000"'],
    ['an object', { a: 1, b: [2n] }, '{"a":1,"b":["2"]}'],
    ['a list of strings, one a line', ['a', 'b'], 'a\nb'],
    ['an empty list', [], '[]'],
    ['a list of anything', ['a', 1], '["a",1]'],
    ['a date', new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    ['blocks', [{ type: 'text', text: 'a' }, image], [{ type: 'text', text: 'a' }, image]],
    ['things that have a type too', [{ type: 'dog', text: 'x' }], '[{"type":"dog","text":"x"}]'],
    ['a block without its text', [{ type: 'text' }], '[{"type":"text"}]'],
    ['a value that has a status', { status: 'open', content: 'x' }, '{"status":"open","content":"x"}'],
    ['a value that has content', { content: 'x', author: 'me' }, '{"content":"x","author":"me"}'],
  ])('becomes content: %s', async (_what, value, content) => {
    const result = await outcomeOf(() => value)
    expect(result).toMatchObject({ status: 'success', content })
    expect(result.value).toBe(value)
  })

  it('may be content with data that the model does not see', { meta: { promise: '3.60 3.58' } }, async () => {
    const result = await outcomeOf(() => ({ content: 'ok', artifacts: [{ rows: 3 }], extra: { ms: 5 } }))
    expect(result).toMatchObject({ status: 'success', content: 'ok', artifacts: [{ rows: 3 }], extra: { ms: 5 } })
    expect(toToolMessage(result)).toMatchObject({ artifacts: [{ rows: 3 }], extra: { ms: 5 } })
    expect(await outcomeOf(() => ({ artifacts: [1] }))).toMatchObject({ content: 'Done', artifacts: [1] })
  })

  it('may say that the tool failed, in its own words', async () => {
    const result = await outcomeOf(() => ({ content: 'No such file', status: 'error' }))
    expect(toToolMessage(result)).toMatchObject({ status: 'error', content: 'No such file' })
  })

  it.each<[string, () => unknown, RegExp]>([
    ['a cycle', () => cyclic, /cyclic, or nested too deep/],
    ['a depth bomb', () => deep, /cyclic, or nested too deep/],
    ['a function', () => () => 1, /it is a function/],
    ['a symbol', () => Symbol('x'), /it is a symbol/],
    ['a stream', () => new ReadableStream(), /it is a ReadableStream/],
    ['a response', () => new Response('x'), /it is a Response/],
    ['a map', () => new Map([[1, 2]]), /it is a Map/],
    ['a generator', async function* () {}, /it is a AsyncGenerator/],
    ['bytes', () => new Uint8Array(3), /it is a Uint8Array/],
    ['an error', () => new Error('Not thrown'), /^Not thrown$/],
    ['a map in an object', () => ({ users: new Map([[1, 2]]) }), /"users" in it is a Map/],
    ['a promise that was not awaited, in a list', () => [{ temp: Promise.resolve(1) }], /"temp" in it is a Promise/],
    ['bytes in a list', () => [new Uint8Array(3)], /"0" in it is a Uint8Array/],
    ['blocks with a cycle', () => [{ type: 'text', text: 'a', metadata: cyclic }], /a block in it is cyclic/],
    ['an output with a bigint', () => ({ content: [{ type: 'text', text: 'a', id: 1n }] }), /has a bigint/],
    ['something that does not want to be JSON', () => ({ toJSON: fails }), /has no JSON/],
  ])('that JSON cannot represent is an error with this reason: %s', async (_what, execute, text) => {
    const { status, error, content } = await outcomeOf(execute)
    expect({ status, kind: error?.kind }).toEqual({ status: 'error', kind: 'execution' })
    expect(content).toMatch(text)
  })

  it('is JSON with the words of the errors in it, which would be empty objects', async () => {
    const settled = () => Promise.allSettled([Promise.resolve(1n), Promise.reject(new RangeError('Out of milk'))])
    const { content, status } = await outcomeOf(settled)
    expect(status).toBe('success')
    expect(JSON.parse(content as string)).toEqual([
      { status: 'fulfilled', value: '1' },
      { status: 'rejected', reason: 'RangeError: Out of milk' },
    ])
  })

  it('is cut where it is too long, never in the middle of a character, and says so', async () => {
    expect((await outcomeOf(() => 'abcdef', { maxResultLength: 4 })).content).toBe('abcd\n[cut: 2 more characters]')
    expect((await outcomeOf(() => 'abc👋', { maxResultLength: 4 })).content).toBe('abc\n[cut: 2 more characters]')
    const huge = await outcomeOf(() => 'x'.repeat(100_000_000))
    expect((huge.content as string).length).toBeLessThan(1024 * 1024 + 100)
    expect((huge.value as string).length).toBe(100_000_000)
  })

  it('is cut in blocks too, all of them together', async () => {
    const blocks = [{ type: 'text', text: 'abc' }, image, { type: 'text', text: 'def' }]
    expect((await outcomeOf(() => blocks, { maxResultLength: 4, maxResultMedia: 3 })).content).toEqual([
      { type: 'text', text: 'abc' },
      { type: 'text', text: '[left out: image of 4 characters of base64]' },
      { type: 'text', text: 'd\n[cut: 2 more characters]' },
    ])
    const texts = ['abcdef', 'gh'].map((text) => ({ type: 'text', text }))
    expect((await outcomeOf(() => texts, { maxResultLength: 4 })).content).toEqual([
      { type: 'text', text: 'abcd\n[cut: 2 more characters]' },
      { type: 'text', text: '\n[cut: 2 more characters]' },
    ])
  })

  it('bounds media at 32 Mi characters of base64 unless the tool says otherwise', async () => {
    const image = (length: number) => ({ type: 'image', mimeType: 'image/png', data: 'a'.repeat(length) }) as const
    const [kept, leftOut] = await Promise.all(
      [2 ** 25, 2 ** 25 + 1].map(async (length) => (await outcomeOf(() => [image(length)])).content),
    )
    expect(kept).toMatchObject([{ type: 'image' }])
    expect(leftOut).toEqual([{ type: 'text', text: '[left out: image of 33554433 characters of base64]' }])
  })
})

describe('a tool that fails', () => {
  it.each<[string, unknown, string]>([
    ['an error', new RangeError('Out of milk'), 'Out of milk'],
    ['an error without words', new TypeError(), 'TypeError'],
    ['text', 'just text', 'just text'],
    ['nothing', undefined, 'The tool failed'],
    ['null', null, 'The tool failed'],
    ['a number', 5, 'The tool failed'],
    ['an object', { secret: 'x' }, 'The tool failed'],
  ])(
    'by throwing %s reports the message to the model, and never the stack',
    { meta: { promise: '3.56 3.59' } },
    async (_what, thrown, text) => {
      const sync = await outcomeOf(() => {
        throw thrown
      })
      const async_ = await outcomeOf(() => Promise.reject(thrown))
      for (const result of [sync, async_]) {
        expect(result).toMatchObject({ status: 'error', content: text, error: { kind: 'execution', message: text } })
        expect(result.error?.cause).toBe(thrown)
      }
    },
  )

  it('with an error whose message throws, or is endless, is a result too', async () => {
    const trap = Object.defineProperty(new Error('x'), 'message', { get: fails })
    expect(await outcomeOf(() => Promise.reject(trap))).toMatchObject({ content: 'The tool failed' })
    const { content } = await outcomeOf(() => Promise.reject(new Error('x'.repeat(1e6))))
    expect(content).toHaveLength(4096)
  })

  it('with an object that only looks like a promise is a result too', async () => {
    const thenable = {
      // biome's rule against thenables is what this is about: tools return anything
      ['then' as string](_: unknown, reject: (cause: unknown) => void) {
        reject('refused')
      },
    }
    expect(await outcomeOf(() => thenable)).toMatchObject({ content: 'refused' })
  })
})

describe('a tool that takes its time', () => {
  const never = () => new Promise(() => {})

  it('is abandoned after its time limit, and its signal fires', async () => {
    const seen: AbortSignal[] = []
    const result = await outcomeOf(
      (_, { signal }) => {
        seen.push(signal)
        return never()
      },
      { toolTimeoutMs: 20 },
    )
    expect(result).toMatchObject({ error: { kind: 'timeout' }, content: 'The tool did not finish within 20 ms' })
    expect(seen).toMatchObject([{ aborted: true, reason: { name: 'TimeoutError' } }])
  })

  it('has its own time limit if it sets one, and no limit if that is infinite', async () => {
    const slow = { name: 'odd', timeoutMs: 10, execute: never }
    const limited = await invokeTool(call('odd'), named(tool(slow)), { toolTimeoutMs: 60_000 })
    expect(limited.error?.kind).toBe('timeout')
    const endless = tool({ name: 'odd', timeoutMs: Number.POSITIVE_INFINITY, execute: () => wait(30).then(() => 'ok') })
    expect(await invokeTool(call('odd'), named(endless))).toMatchObject({ content: 'ok' })
  })

  it('counts the check of its arguments, and does not run once the time is up', async () => {
    let ran = 0
    const parse = () => wait(40).then(() => ({}))
    const slow: Tool = { ...tool({ name: 'odd', execute: () => ++ran }), parse }
    expect((await invokeTool(call('odd'), named(slow), { toolTimeoutMs: 10 })).error?.kind).toBe('timeout')
    await wait(60)
    expect(ran).toBe(0)
  })

  it('is abandoned when the run is cancelled, before it runs and while it runs', async () => {
    const reason = new Error('enough')
    let ran = 0
    const counted = () => ++ran
    expect((await outcomeOf(counted, { signal: AbortSignal.abort(reason) })).error?.kind).toBe('aborted')
    expect(ran).toBe(0)
    const controller = new AbortController()
    const seen: unknown[] = []
    const outcome = outcomeOf(
      (_, { signal }) => {
        signal.addEventListener('abort', () => seen.push(signal.reason))
        return never()
      },
      { signal: controller.signal },
    )
    setTimeout(() => controller.abort(reason), 5)
    expect(await outcome).toMatchObject({ error: { kind: 'aborted' }, status: 'error' })
    expect(seen).toEqual([reason])
  })

  it('reports progress, and nothing after its end', async () => {
    const told: unknown[] = []
    const result: ToolResult = await outcomeOf(
      (_, { progress }) => {
        progress(0.5)
        setTimeout(() => progress('late'), 5)
        return 'ok'
      },
      { progress: (data) => told.push(data) },
    )
    await wait(15)
    expect(result.content).toBe('ok')
    expect(told).toEqual([0.5])
  })

  it('knows its call and the conversation', async () => {
    const messages = [message.user('Hi')]
    const made = call('odd')
    const seen: ToolContext[] = []
    await invokeTool(made, named(tool({ name: 'odd', execute: (_, context) => void seen.push(context) })), { messages })
    expect(seen).toMatchObject([{ call: made, messages }])
  })
})

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
