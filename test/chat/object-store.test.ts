/** A value of a schema while it grows, in a page: from a route over real HTTP, from a model, and in the four frameworks. */
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as react from '../../src/bindings/react.ts'
import * as solid from '../../src/bindings/solid.ts'
import * as svelte from '../../src/bindings/svelte.ts'
import * as vue from '../../src/bindings/vue.ts'
import { createObjectStore, type ObjectSnapshot, type ObjectStoreOptions } from '../../src/chat/index.ts'
import { generateObject, OutputError, streamObject, t } from '../../src/index.ts'
import { readEvents } from '../../src/page/read.ts'
import { toResponse } from '../../src/page/response.ts'
import { mockModel } from '../../src/test/index.ts'
import { type Served, serve } from '../support/serve.ts'
import { rendered } from './frameworks.ts'
import { settle } from './open.ts'

const schema = t.object({ title: t.string(), steps: t.array(t.string()) })
const whole = { title: 'Lasagne', steps: ['Boil', 'Bake'] }
/** A mock writes one word in each event. */
const text = JSON.stringify(whole, null, 1)
type Answers = Parameters<typeof mockModel>[0]

const servers: Served[] = []
afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())))

/** A server joins what comes within 10 ms. */
const slowly = { delayMs: 12 }

/** The address of a route that makes the value of what is posted. */
async function routeOf(answers: Answers, ended: (object: unknown) => void = () => {}): Promise<string> {
  const model = mockModel(answers, slowly)
  const route = async (request: Request) => {
    const prompt = ((await request.json()) as { dish: string }).dish
    const run = streamObject({
      model,
      prompt,
      schema,
      retries: 0,
      signal: request.signal,
    })
    return toResponse(run, { onEnd: async () => ended(await run.response.catch((error: unknown) => error)) })
  }
  const server = await serve(route)
  servers.push(server)
  return server.url
}

const throughRoute = async (answers: Answers) => {
  const url = await routeOf(answers)
  return (dish: string, signal: AbortSignal) =>
    readEvents(fetch(url, { method: 'POST', body: JSON.stringify({ dish }), signal }))
}
const throughModel = async (answers: Answers) => {
  const model = mockModel(answers, slowly)
  return (prompt: string, signal: AbortSignal) => streamObject({ model, prompt, schema, signal, retries: 0 })
}

function watched(ask: ObjectStoreOptions<typeof schema, string>['ask']) {
  const ends: object[] = []
  const store = createObjectStore({ schema, ask, throttleMs: 0, onFinish: (end) => ends.push(end) })
  const seen: ObjectSnapshot<typeof whole>[] = []
  store.subscribe(() => seen.push(store.getSnapshot()))
  return { store, seen, ends }
}

describe.each([
  ['a route', throughRoute],
  ['a model', throughModel],
] as const)('through %s', (_, through) => {
  it('the value grows, and is whole and checked at the end', async () => {
    const { store, seen, ends } = watched(await through([text]))
    await store.submit('Lasagne')
    expect(seen[0]).toEqual({ status: 'submitted', isBusy: true, object: undefined, error: undefined })
    const growing = seen.filter(({ status }) => status === 'streaming').map(({ object }) => object)
    expect(growing.length).toBeGreaterThan(2)
    expect(new Set(growing.map((one) => JSON.stringify(one))).size).toBeGreaterThan(2) // each snapshot has its own
    expect(store.getSnapshot()).toEqual({ status: 'done', isBusy: false, object: whole, error: undefined })
    expect(ends).toEqual([{ object: whole }])
  })

  it.each([
    ['does not fit', '{"title":"Lasagne","steps":"none"}'],
    ['is not JSON', '{"title":"Lasagne", oops'],
    ['is cut off at its length', { text: '{"title":"Lasagne","ste', stopReason: 'length' }],
    ['was refused', { text: 'No', stopReason: 'content_filter' }],
  ] as const)('an answer that %s is the error of generateObject, and the part stays', async (_what, answer) => {
    const { store, ends } = watched(await through([answer]))
    await store.submit('Lasagne')
    const due = await generateObject({ model: mockModel([answer]), prompt: 'Hi', schema }).catch((error) => error)
    const { status, object, error } = store.getSnapshot()
    expect(status).toBe('error')
    expect(error).toBeInstanceOf(OutputError)
    expect(error).toMatchObject({ reason: due.reason, text: due.text, message: due.message })
    expect((error as OutputError).partial?.content).toEqual(due.partial.content)
    if (answer !== undefined && JSON.stringify(answer).includes('Lasagne'))
      expect(object).toMatchObject({ title: 'Lasagne' })
    expect(ends).toEqual([{ error }])
  })

  it('an error of the provider is that of the run', async () => {
    const { store } = watched(await through([{ error: 'rate_limit' }]))
    await store.submit('Lasagne')
    expect(store.getSnapshot()).toMatchObject({ status: 'error', error: { name: 'ApiError', kind: 'rate_limit' } })
  })

  it('a cut keeps the part, and the next submit begins anew', async () => {
    const { store } = watched(await through([{ cutAfter: 5, of: text, clean: true }, text]))
    await store.submit('Lasagne')
    const { status, error, object } = store.getSnapshot()
    expect([status, error?.name]).toEqual(['error', 'InterruptedError'])
    expect(object).toMatchObject({ title: 'Lasagne' })
    await store.submit('Lasagne')
    expect(store.getSnapshot()).toMatchObject({ status: 'done', error: undefined })
  })

  it('stop keeps the part and clear forgets it; nothing comes after either', async () => {
    const { store, seen, ends } = watched(await through([text]))
    const ended = new Promise<void>((resolve) => {
      store.subscribe(() => {
        if (store.getSnapshot().object !== undefined) void store.stop().then(resolve)
      })
    })
    await Promise.all([store.submit('Lasagne'), ended])
    expect(store.getSnapshot()).toMatchObject({ status: 'ready', isBusy: false, error: undefined })
    expect(store.getSnapshot().object).toBeDefined()
    store.clear()
    const { length } = seen
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(store.getSnapshot()).toEqual(store.getServerSnapshot())
    expect(seen).toHaveLength(length)
    expect(ends).toEqual([])
  })
})

it('the last submit counts', async () => {
  const asked: AbortSignal[] = []
  const model = mockModel([JSON.stringify({ ...whole, title: 'A' }), JSON.stringify({ ...whole, title: 'B' })])
  const store = createObjectStore({
    schema,
    ask: (prompt: string, signal) => {
      asked.push(signal)
      return streamObject({ model, prompt, schema, signal })
    },
  })
  await Promise.all([store.submit('A'), store.submit('B')])
  expect(store.getSnapshot()).toMatchObject({ status: 'done' })
  expect(asked.map(({ aborted }) => aborted)).toEqual([true, false])
})

it('a value that is stopped while it is checked stays stopped', async () => {
  let go = () => {}
  const waits = new Promise<void>((resolve) => {
    go = resolve
  })
  const checks: string[] = []
  const slow = z.object({ title: z.string() }).refine(async () => {
    checks.push('begun')
    await waits
    return true
  })
  const store = createObjectStore({
    schema: slow,
    ask: () => streamObject({ model: mockModel(['{"title":"Lasagne"}']), prompt: 'Hi', schema }),
  })
  const submitted = store.submit(undefined)
  while (checks.length === 0) await settle()
  await store.stop()
  go()
  await submitted
  expect(store.getSnapshot()).toMatchObject({ status: 'ready', object: { title: 'Lasagne' } })
})

it('the server has the checked value too', async () => {
  let object: unknown
  const url = await routeOf([JSON.stringify(whole)], (value) => {
    object = (value as { object: unknown }).object
  })
  const run = readEvents(fetch(url, { method: 'POST', body: '{"dish":"Lasagne"}' }))
  await run.response
  expect(object).toEqual(whole)
})

it('begins with the value of its owner, also on a server, and has it again after clear', async () => {
  const initialValue = { title: 'Soup', steps: ['Boil'] }
  const store = createObjectStore({ schema, initialValue, ask: await throughModel([text]) })
  expect(store.getServerSnapshot()).toBe(store.getSnapshot())
  expect(store.getSnapshot()).toEqual({ status: 'ready', isBusy: false, object: initialValue, error: undefined })
  await store.submit('Lasagne')
  expect(store.getSnapshot().object).toEqual(whole)
  store.clear()
  expect(store.getSnapshot().object).toEqual(initialValue)
})

it('a value that is not an object grows too', async () => {
  const list = t.array(t.string())
  const model = mockModel(['{"value":["a","b"]}'])
  const store = createObjectStore({ schema: list, ask: () => streamObject({ model, prompt: 'Hi', schema: list }) })
  await store.submit(undefined)
  expect(store.getSnapshot().object).toEqual(['a', 'b'])
})

it('a function that throws is a failed value', async () => {
  const store = createObjectStore({
    schema,
    ask: () => {
      throw new TypeError('no')
    },
  })
  await store.submit(undefined)
  expect(store.getSnapshot()).toMatchObject({ status: 'error', error: { message: 'no' } })
  expect(() => createObjectStore({ schema: 'text' as never, ask: () => readEvents(fetch('')) })).toThrow(TypeError)
})

// ---- frameworks ---------------------------------------------------------------------------------

const draw = ({ status, object }: { status: string; object: unknown }) => `${status}: ${JSON.stringify(object)}`
const options: ObjectStoreOptions<typeof schema, string> = { schema, ask: () => readEvents(fetch('')) }
type Given = typeof options | ReturnType<typeof createObjectStore<typeof schema, string>>

const onServer: Readonly<Record<string, (given: Given) => string | Promise<string>>> = {
  react: (given) => rendered.react(() => draw(react.useObject(given as never))),
  vue: (given) =>
    rendered.vue(() => {
      const { status, object } = vue.useObject(given as typeof options)
      return draw({ status: status.value, object: object.value })
    }),
  svelte: (given) => rendered.svelte(() => draw(svelte.useObject(given as typeof options))),
  solid: (given) => rendered.solid(() => draw(solid.useObject(given as typeof options))),
}

describe.each(Object.entries(onServer))('%s on a server', (name, render) => {
  it('renders the beginning of a value that the component owns', async () => {
    expect(await render(options)).toContain('ready: undefined</p>')
  })

  it('renders a store that was passed to it', async () => {
    const model = mockModel([JSON.stringify(whole)])
    const store = createObjectStore({ schema, ask: (prompt: string) => streamObject({ model, prompt, schema }) })
    await store.submit('Hi')
    // React renders the state at the beginning, so that the page's first render is the same.
    expect((await render(store)).replaceAll('&quot;', '"')).toContain(name === 'react' ? 'ready:' : '"title":"Lasagne"')
  })
})
