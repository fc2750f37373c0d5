/** Own data has the types of its names in a route, in an event, in a chat and its bindings; a value has the type of its schema. Checked by the compiler. */
import { useChat as useReactChat, useObject as useReactObject } from '../../src/bindings/react.ts'
import { useChat as useSolidChat, useObject as useSolidObject } from '../../src/bindings/solid.ts'
import { useChat as useSvelteChat, useObject as useSvelteObject } from '../../src/bindings/svelte.ts'
import { useChat as useVueChat, useObject as useVueObject } from '../../src/bindings/vue.ts'
import { createChatStore, createObjectStore, fetchTransport, type ViewMessage } from '../../src/chat/index.ts'
import type { PartialOutput } from '../../src/codec.ts'
import { type RunRequest, type StreamEvent, stream, streamObject, t, tool } from '../../src/index.ts'
import type { Json } from '../../src/messages/index.ts'
import { readEvents } from '../../src/page/read.ts'
import { ownData, toResponse } from '../../src/page/response.ts'

type Equal<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false
function same<One, Other>(..._: Equal<One, Other> extends true ? [] : ['these types differ', One, Other]): void {}

interface Data {
  status: string
  sources: { url: string }[]
}

// ---- a route ------------------------------------------------------------------------------------

export function route(request: RunRequest): Promise<Response> {
  const data = ownData<Data>()
  data.write('status', 'Searching', { transient: true })
  data.write('sources', [{ url: 'https://a.example' }], { id: 's' })
  data.setMetadata('status', 'done')
  // @ts-expect-error: there is no such value
  data.write('state', 'Searching')
  // @ts-expect-error: a status is text
  data.write('status', 1)
  // @ts-expect-error: so is that of the metadata
  data.setMetadata('status', 1)
  return toResponse(stream({ ...request, data }))
}

const search = tool({
  name: 'search',
  parameters: t.object({ for: t.string() }),
  execute(_, { data }) {
    data?.write('any', { json: [1] })
    // @ts-expect-error: a run may have no data
    data.write('any', 1)
    // @ts-expect-error: a function is not JSON
    data?.write('any', () => 1)
    return 'found'
  },
})
const tools = [search]

// ---- a page -------------------------------------------------------------------------------------

export async function page(response: Response): Promise<void> {
  for await (const event of readEvents<typeof tools, Data>(response)) {
    if (event.type === 'data' && event.name === 'sources') same<typeof event.value, { url: string }[]>()
    if (event.type === 'tool_call') same<typeof event.call.arguments.for, string>()
  }
  for await (const event of readEvents(response)) if (event.type === 'data') same<typeof event.value, Json>()
}

function draw(messages: readonly ViewMessage<typeof tools, Data>[]): void {
  for (const { parts, metadata } of messages) {
    same<typeof metadata, Partial<Data> | undefined>()
    for (const part of parts) {
      if (part.type !== 'data') continue
      if (part.name === 'status') same<typeof part.value, string>()
      if (part.name === 'sources') same<typeof part.value, { url: string }[]>()
      // @ts-expect-error: there is no such value
      if (part.name === 'state') break
    }
  }
}

export function chats(): void {
  const transport = fetchTransport()
  const onEvent = (event: StreamEvent<typeof tools, Data>) => {
    if (event.type === 'data' && event.name === 'status') same<typeof event.value, string>()
  }
  const store = createChatStore<typeof tools, Data>({ transport, onEvent })
  draw(store.getSnapshot().messages)
  draw(useReactChat<typeof tools, Data>({ transport }).messages)
  draw(useReactChat(store).messages)
  draw(useVueChat<typeof tools, Data>({ transport }).messages.value)
  draw(useSvelteChat(store).messages)
  draw(useSolidChat<typeof tools, Data>({ transport }).messages)
  // A program that names what a hook returns gets the same as one that calls it.
  const named: ReturnType<typeof useReactChat> = useReactChat({ transport })
  for (const part of named.messages[0]?.parts ?? []) if (part.type === 'data') same<typeof part.value, Json>()
}

// ---- a value of a schema ------------------------------------------------------------------------

const schema = t.object({ title: t.string(), steps: t.array(t.object({ text: t.string() })) })
interface Recipe {
  title: string
  steps: { text: string }[]
}

export function values(model: RunRequest['model']): void {
  const options = {
    schema,
    ask: (dish: string, signal: AbortSignal) => streamObject({ model, prompt: dish, schema, signal }),
  }
  const store = createObjectStore(options)
  const { status, object, error } = store.getSnapshot()
  if (status === 'done') {
    object.steps[0]?.text.trim()
    same<typeof object.title, string>()
    same<typeof error, undefined>()
  } else {
    object?.steps?.[0]?.text?.trim()
    same<typeof object, PartialOutput<Recipe> | undefined>()
  }
  if (status === 'error') same<typeof error, Error>()
  void store.submit('Lasagne')
  // @ts-expect-error: the dish is text
  void store.submit(1)

  for (const recipe of [
    useReactObject(options),
    useReactObject(store),
    useSvelteObject(options),
    useSvelteObject(store),
    useSolidObject(options),
    useSolidObject(store),
  ]) {
    void recipe.submit('Lasagne')
    if (recipe.status === 'done') same<typeof recipe.object.title, string>()
    else recipe.object?.steps?.[0]?.text?.trim()
  }
  const refs = useVueObject(options)
  same<typeof refs.status.value, 'ready' | 'submitted' | 'streaming' | 'done' | 'error'>()
  refs.object.value?.title?.trim()
  void useVueObject(store).submit('Lasagne')
  void toResponse(streamObject({ model, prompt: 'Lasagne', schema }))
}
