/** The signed and encrypted fields of providers, found by their names in each wire, independent of our codecs. */
import { toolCallsOf } from '../../src/core/content.ts'
import type { Context } from '../../src/core/messages.ts'

/** wire/README.md §7, "Opaque proof", and the tokens of server tools in anthropic.md §3. */
const names = new Set([
  'signature',
  'encrypted_content',
  'encrypted_index',
  'thoughtSignature',
  'thought_signature',
  'redacted',
])

function* stringsAt(value: unknown, isNamed: (key: string) => boolean): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, entry] of Object.entries(value)) {
    if (typeof entry === 'string') {
      if (isNamed(key) && entry.length >= 8) yield entry
    } else yield* stringsAt(entry, isNamed)
  }
}

const isProof = (key: string) => names.has(key)

/** All that a provider signed or encrypted in a conversation; redacted thinking stands in a field `data` of its proof. */
export function proofsIn({ messages }: Context): ReadonlySet<string> {
  const found = new Set(stringsAt(messages, isProof))
  for (const { opaque } of blocksIn(messages))
    for (const one of stringsAt(opaque, (key) => key === 'data')) found.add(one)
  return found
}

/** Only the proofs of a conversation's blocks: they have to go back to their provider. */
export function blockProofsIn({ messages }: Context): ReadonlySet<string> {
  const isOurs = (key: string) => isProof(key) || key === 'data'
  return new Set(blocksIn(messages).flatMap(({ opaque }) => [...stringsAt(opaque, isOurs)]))
}

function blocksIn(messages: Context['messages']): readonly { readonly opaque?: unknown }[] {
  return messages.flatMap((message) => [
    ...(Array.isArray(message.content) ? message.content : []),
    ...toolCallsOf(message),
  ])
}

/** All texts of a body, wherever they stand. */
export function stringsIn(value: unknown): ReadonlySet<string> {
  const found = new Set<string>()
  JSON.stringify(value, (_, entry) => {
    if (typeof entry === 'string') found.add(entry)
    return entry
  })
  return found
}
