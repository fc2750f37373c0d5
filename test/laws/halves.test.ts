/**
 * Halves of characters (lone surrogates) reach no provider, whatever text of a request has one: servers refuse the request, and as it stays in
 * the history, each later one.
 */
import { describe, expect, it } from 'vitest'
import type { Context, RequestOptions } from '../../src/core/messages.ts'
import type { HttpModel as Model } from '../../src/core/question.ts'
import { generate } from '../../src/index.ts'
import { wires } from '../support/wires.ts'

const half = 'a\ud83d'
const lone = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|\\ud[89a-f]/

/** A request with a text in each place that can have one. */
function request(text: string): { readonly context: Context; readonly options: Partial<RequestOptions> } {
  const call = {
    type: 'tool_call',
    id: `c${text}`,
    name: 'f',
    arguments: { [text]: text },
    argumentsText: '',
    index: 0,
    complete: true,
  } as const
  const schema = {
    type: 'object',
    description: text,
    properties: { [text]: { type: 'string', enum: [text], default: text, title: text, pattern: text } },
    required: [text],
  }
  return {
    context: {
      system: text,
      messages: [
        { role: 'system', content: text },
        {
          role: 'user',
          name: text,
          content: [
            { type: 'text', text },
            { type: 'plain_text', text, title: text },
            { type: 'image', url: `https://e.com/${text}` },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text },
            {
              type: 'text',
              text,
              citations: [{ type: 'citation', url: `https://e.com/${text}`, title: text, text }],
            },
            call,
          ],
        },
        { role: 'tool', toolCallId: `c${text}`, name: 'f', content: text },
        {
          role: 'user',
          content: text,
          providerData: Object.fromEntries(wires.map(({ name }) => [name, { kept: text }])),
        },
      ],
      tools: [{ name: 'f', description: text, parameters: schema }],
    },
    options: {
      stop: [text],
      user: text,
      responseFormat: { type: 'json', name: 'x', description: text, schema },
      providerOptions: Object.fromEntries(wires.map(({ name }) => [name, { [text]: text }])),
    },
  }
}

/** The places of strings and keys in a value. */
function places(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value === 'string') return value.includes(half) ? [path] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, one]) => [
    ...(key.includes(half) ? [[...path, key, '(key)']] : []),
    ...places(one, [...path, key]),
  ])
}

/** The same request with whole characters, except in one place. */
function only(path: readonly string[]): ReturnType<typeof request> {
  const isKey = path.at(-1) === '(key)'
  const copy = (value: unknown, at: readonly string[]): unknown => {
    const is = (other: readonly string[]) => at.join('\0') === other.join('\0')
    if (typeof value === 'string') return is(path) ? value : value.replace(half, 'whole')
    if (Array.isArray(value)) return value.map((one, index) => copy(one, [...at, String(index)]))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => {
        const isKept = isKey && [...at, key, '(key)'].join('\0') === path.join('\0')
        return [isKept ? key : key.replace(half, 'whole'), copy(one, [...at, key])]
      }),
    )
  }
  return copy(request(half), []) as ReturnType<typeof request>
}

const all = places(request(half))

describe.each(wires)('$name', (wire) => {
  it('is sent none, of any text of a request', async () => {
    expect(all.length).toBeGreaterThan(40)
    for (const path of all) {
      let raw = ''
      const { context, options } = only(path)
      const model: Model = {
        ...wire.model('https://host.example/v1'),
        fetch: async (_url, init) => {
          raw = String(init?.body)
          throw new TypeError('offline')
        },
      }
      await generate({ model, ...context, ...options, maxTokens: 9, retries: 0, strict: false } as never).catch(
        () => {},
      )
      const found: string[] = []
      const walk = (value: unknown): void => {
        if (typeof value === 'string' && lone.test(value)) found.push(value)
        if (typeof value !== 'object' || value === null) return
        for (const [key, one] of Object.entries(value)) [key, one].forEach(walk)
      }
      expect(raw, path.join('.')).not.toBe('')
      walk(JSON.parse(raw))
      expect({ path: path.join('.'), found }).toEqual({ path: path.join('.'), found: [] })
    }
  })
})
