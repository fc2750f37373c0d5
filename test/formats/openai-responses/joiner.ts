/** The texts that a client of Responses joins from the deltas of a stream, and the same texts as the stream repeats them. */
import type { Join, Raw, Said } from '../joiner.ts'

/** Responses says everything two or three times. */
export const join: Join = (events, { said, differences }) => {
  const deltas = new Map<string, string>()
  const items = new Map<number, Raw>()
  const expectSame = (what: string, one: unknown, other: unknown) => {
    if (JSON.stringify(one) !== JSON.stringify(other)) {
      differences.push(`${what}: ${JSON.stringify(one)} and ${JSON.stringify(other)}`.slice(0, 300))
    }
  }
  for (const event of events) {
    const { type, output_index: at, item } = event
    const place = `${at}/${event.content_index ?? event.summary_index ?? 0}`
    const name = String(type).replace(/^response\./, '')
    const kind = name.replace(/\.(?:delta|done)$/, '')
    if (name.endsWith('.delta')) deltas.set(`${kind} ${place}`, (deltas.get(`${kind} ${place}`) ?? '') + event.delta)
    const whole = event.text ?? event.refusal ?? event.arguments ?? event.input
    if (name.endsWith('.done') && whole === undefined && deltas.has(`${kind} ${place}`))
      differences.push(`${name} is empty`)
    if (name.endsWith('.done') && whole !== undefined)
      expectSame(`${name} ${place}`, whole, deltas.get(`${kind} ${place}`) ?? '')
    if (name === 'output_item.added') items.set(at, { added: item })
    if (name === 'output_item.done') {
      const added = items.get(at)?.added ?? {}
      expectSame(`the id of item ${at}`, [item.type, item.id], [added.type, added.id])
      expectSame(`the name of item ${at}`, [item.call_id, item.name], [added.call_id, added.name])
      items.set(at, { added, done: item })
    }
  }
  const last = events.at(-1)
  const output: Raw[] = last.response?.output ?? []
  expectSame('the number of items', output.length, items.size)
  for (const [at, item] of output.entries()) {
    expectSame(`item ${at} at the end`, item, items.get(at)?.done)
    checkItem(item, at, deltas, expectSame, items.get(at)?.added)
    readItem(item, at, said)
  }
}

/** The deltas equal the item. An item that was announced whole has none. */
function checkItem(
  item: Raw,
  at: number,
  deltas: ReadonlyMap<string, string>,
  expectSame: (...of: [string, unknown, unknown]) => void,
  added: Raw,
): void {
  const given = (kind: string, index = 0) => deltas.get(`${kind} ${at}/${index}`) ?? ''
  if (JSON.stringify(added) === JSON.stringify(item)) return
  if (item.type === 'message') {
    for (const [index, part] of item.content.entries()) {
      const isRefusal = part.type === 'refusal'
      expectSame(`text ${at}/${index}`, given(isRefusal ? 'refusal' : 'output_text', index), part.text ?? part.refusal)
    }
  }
  if (item.type === 'reasoning') {
    for (const [index, part] of item.summary.entries())
      expectSame(`reasoning ${at}`, given('reasoning_summary_text', index), part.text)
  }
  if (item.type === 'function_call') expectSame(`arguments ${at}`, given('function_call_arguments'), item.arguments)
  if (item.type === 'custom_tool_call') expectSame(`input ${at}`, given('custom_tool_call_input'), item.input)
}

function readItem(item: Raw, at: number, said: Said): void {
  if (item.type === 'message') {
    for (const part of item.content) {
      if (part.type === 'refusal') said.refusal += part.refusal
      else said.text += part.text ?? ''
    }
  }
  if (item.type === 'reasoning') for (const part of item.summary) said.reasoning += part.text
  if (item.type === 'function_call') said.calls.set(at, { name: item.name, text: item.arguments })
  const given = item.operation ?? (item.environment?.type === 'container_reference' ? undefined : item.action)
  if (/^(?:local_shell|shell|apply_patch)_call$/.test(item.type) && given !== undefined)
    said.calls.set(at, { name: item.type.replace('_call', ''), text: JSON.stringify(given) })
  if (item.type === 'custom_tool_call')
    said.calls.set(at, { name: item.name, text: JSON.stringify({ input: item.input }) })
}
