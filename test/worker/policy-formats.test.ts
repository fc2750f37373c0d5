/**
 * The policy refuses the same fields and files in every format. The client codec of each format makes the bodies, so that a new format is
 * tried as soon as it is there.
 */
import { globSync, readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ApiError, DecodeError } from '../../src/core/errors.ts'
import type { ContentBlock, Context, JsonObject } from '../../src/core/messages.ts'
import type { WireName } from '../../src/gateway/types.ts'
import { toolCall } from '../../src/messages/block.ts'
import { wires } from '../support/answers.ts'
import { clients } from '../support/formats.ts'
import { formatsByName } from '../support/formats-by-name.ts'
import { definedObjectsOf, replaceAt, valueAt } from '../support/mutations.ts'
import { permitted, permittedRequest } from './permitted.ts'

/** Fields that choose a destination, cost by another meter, keep data, or speak for another user. */
const forbidden =
  'base_url api_key extra_body headers provider url metadata user background service_tier serviceTier priority n candidateCount best_of ' +
  'num_generations web_search_options connectors tools_config modalities audio prediction previous_response_id previous_interaction_id ' +
  'conversation container mcp_servers agent cachedContent cache_control keep_alive guardrailConfig performanceConfig requestMetadata ' +
  'logprobs MODEL __proto__ constructor'

const privateUrls = [
  'https://169.254.169.254/latest/meta-data',
  'http://169.254.169.254/latest/meta-data',
  'https://[::ffff:169.254.169.254]/',
  'https://0xa9fe.0xa9fe/',
  'https://metadata.google.internal/',
  'https://kubernetes.default.svc/',
  'https://user:password@example.com/a.png',
  'file:///etc/passwd',
  'gs://bucket/a.png',
  's3://bucket/a.png',
]
const blocks: readonly (readonly [name: string, block: ContentBlock])[] = [
  ...privateUrls.map((url) => [`a picture at ${url}`, { type: 'image', url, mimeType: 'image/png' }] as const),
  ...privateUrls.map((url) => [`a file at ${url}`, { type: 'file', url, mimeType: 'application/pdf' }] as const),
  ['a PDF', { type: 'file', data: 'JVBERi0x', mimeType: 'application/pdf', filename: 'a' }],
  [
    'a document of Word',
    {
      type: 'file',
      data: 'JVBERi0x',
      mimeType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      filename: 'a',
    },
  ],
  ['a PDF that says it is a picture', { type: 'image', data: 'JVBERi0x', mimeType: 'application/pdf' }],
  ['a sound', { type: 'audio', data: 'JVBERi0x', mimeType: 'audio/wav' }],
]

const call = toolCall('call_1', 'f')

/** In a message of the user's, and in a result of a tool. */
function contextsWith(block: ContentBlock): readonly Context[] {
  return [
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, block] }] },
    {
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [call] },
        { role: 'tool', toolCallId: 'call_1', name: 'f', content: [block] },
      ],
    },
  ]
}

type Loose = ReturnType<typeof JSON.parse>

describe.each(wires)('%s', (wire) => {
  it('does not permit fields that cost or decide more, at the top, in settings, or in a message', () => {
    const options = { model: 'm', maxTokens: 10, temperature: 0.5, reasoning: { effort: 'low' } } as const
    const body: Loose = clients[wire].encodeRequest({ messages: [{ role: 'user', content: 'Hi' }] }, options).body
    expect(permitted(wire, structuredClone(body))).toBeTruthy()
    const passed = forbidden.split(' ').flatMap((field) =>
      [2, 'x', true, {}].flatMap((value) => {
        // A literal would set the prototype.
        const one: object = JSON.parse(`{${JSON.stringify(field)}:${JSON.stringify(value)}}`)
        const own = (object: object) => ({ ...object, ...one })
        const inSettings = Object.entries(body).flatMap(([name, inner]) => {
          if (Array.isArray(inner)) return [{ ...body, [name]: [own(inner[0])] }]
          return typeof inner === 'object' ? [{ ...body, [name]: own(inner as object) }] : []
        })
        return [own(body), ...inSettings].flatMap((changed) =>
          isRefused(() => permitted(wire, changed)) ? [] : [[field, value]],
        )
      }),
    )
    // An id of a user is replaced by ours.
    expect(passed).toEqual({ anthropic: [['metadata', {}]], 'openai-chat': [['user', 'x']] }[wire as string] ?? [])
  })

  it('sends no field that it does not know, whatever its value: it refuses it, or it sends what it sends without it', () => {
    const context: Context = {
      system: 'Be brief',
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'Look' }, call] },
        { role: 'tool', toolCallId: 'call_1', name: 'f', content: [{ type: 'text', text: 'ok' }] },
      ],
      tools: [{ name: 'f', description: 'd', parameters: { type: 'object', properties: { a: { type: 'string' } } } }],
    }
    const options = {
      model: 'm',
      maxTokens: 10,
      temperature: 0.5,
      reasoning: { effort: 'low' },
      toolChoice: 'auto',
    } as const
    const body: Loose = JSON.parse(JSON.stringify(clients[wire].encodeRequest(context, options).body))
    const expected = permitted(wire, structuredClone(body))
    const values = [
      null,
      {},
      [],
      [null],
      { a: null },
      { a: { b: null } },
      { a: [{ b: 1 }] },
      [{ a: null }],
      'x',
      0,
      false,
    ]
    const sent = definedObjectsOf(body).flatMap((place) =>
      ['zz_field', 'web_search_options', 'audio', 'type', 'id', 'json', 'response'].flatMap((field) =>
        values.flatMap((value) => {
          const owner = valueAt(body, place) as object
          // A result of Bedrock may be JSON.
          if (Object.hasOwn(owner, field) || (field === 'json' && place.includes('toolResult'))) return []
          const changed = replaceAt(body, place, () => ({ ...owner, [field]: value })) as object
          try {
            const passed = permitted(wire, changed)
            return isDeepStrictEqual(passed, expected) ? [] : [[...place, field, value]]
          } catch (error) {
            if (error instanceof ApiError || error instanceof DecodeError) return []
            throw error
          }
        }),
      ),
    )
    expect(sent).toEqual([])
  })

  it.each([0, -1, 1.5, '9', [9], {}, true])('takes no %j for a limit of output', (limit) => {
    const marker = 4321
    const { body } = clients[wire].encodeRequest(
      { messages: [{ role: 'user', content: 'Hi' }] },
      { model: 'm', maxTokens: marker },
    )
    const text = JSON.stringify(body)
    expect(text).toContain(`:${marker}`)
    const changed = JSON.parse(text.replace(`:${marker}`, `:${JSON.stringify(limit)}`))
    expect(isRefused(() => permitted(wire, changed))).toBe(true)
  })

  it.each([
    ['topP', 0.4321, 1, 1.5],
    ['temperature', 0.4321, 1, 2.5],
  ])('takes a %s in its range, and none beside it', (option, marker, most, tooMuch) => {
    const asked = { model: 'm', maxTokens: 10, [option]: marker }
    const { body } = clients[wire].encodeRequest({ messages: [{ role: 'user', content: 'Hi' }] }, asked)
    const text = JSON.stringify(body)
    expect(text).toContain(`:${marker}`)
    const refuses = (value: number) =>
      isRefused(() => permitted(wire, JSON.parse(text.replace(`:${marker}`, `:${value}`))))
    expect([0, most, tooMuch, -0.1].map(refuses)).toEqual([false, false, true, true])
  })

  it.each(blocks)('is not permitted to show a provider %s', (_, block) => {
    const { url, data, type, mimeType } = block as Extract<ContentBlock, { type: 'image' | 'file' | 'audio' }>
    const told = url ?? (type === 'image' ? mimeType : data)
    const passed = contextsWith(block).flatMap((context) => {
      try {
        const { body } = clients[wire].encodeRequest(context, { model: 'm', maxTokens: 10 })
        return [JSON.stringify(permitted(wire, JSON.parse(JSON.stringify(body))))]
      } catch {
        return [] // the format has no place for it, or the policy refuses it
      }
    })
    expect(passed.filter((body) => body.includes(String(told)))).toEqual([])
  })

  it('is permitted to show a provider a picture, where the format has one', () => {
    const [context] = contextsWith({ type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' })
    const { body } = clients[wire].encodeRequest(context as Context, { model: 'm', maxTokens: 10 })
    expect(JSON.stringify(permitted(wire, JSON.parse(JSON.stringify(body))))).toContain('iVBORw0KGgo=')
  })
})

/** Forms that official clients write, and that isoglot keeps without a word for them. */
const ownForms: readonly (readonly [what: string, wire: WireName, body: object])[] = [
  [
    'a custom tool, and a result that is no error',
    'anthropic',
    {
      model: 'm',
      max_tokens: 10,
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', is_error: false, content: 'ok' }] },
      ],
      tools: [
        {
          type: 'custom',
          name: 'f',
          eager_input_streaming: true,
          input_schema: { type: 'object', properties: {}, additionalProperties: false },
        },
      ],
    },
  ],
  [
    'a result of several fields',
    'gemini',
    {
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        { role: 'model', parts: [{ functionCall: { id: 'a', name: 'f', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { id: 'a', name: 'f', response: { name: 'f', content: 'ok' } } }] },
      ],
      tools: [
        {
          functionDeclarations: [
            { name: 'f', parameters: { type: 'OBJECT', properties: { a: { type: 'STRING', nullable: true } } } },
          ],
        },
      ],
    },
  ],
  [
    'a result as JSON, and a strict tool',
    'bedrock-converse',
    {
      messages: [
        { role: 'user', content: [{ text: 'Hi' }] },
        { role: 'assistant', content: [{ toolUse: { toolUseId: 'a', name: 'f', input: {} } }] },
        { role: 'user', content: [{ toolResult: { toolUseId: 'a', content: [{ json: { a: 1 } }] } }] },
      ],
      toolConfig: {
        tools: [
          {
            toolSpec: {
              name: 'f',
              strict: true,
              inputSchema: { json: { type: 'object', properties: {}, additionalProperties: false } },
            },
          },
        ],
      },
    },
  ],
  [
    'a document as the result of a tool',
    'cohere',
    {
      model: 'm',
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          tool_plan: 'Look',
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: [{ type: 'document', document: { id: 'd', data: { a: 1 } } }] },
      ],
    },
  ],
]

it.each(ownForms)('permits %s, of %s, as it is', (_what, wire, body) => {
  const meaningOf = (one: object) => {
    const { context, options } = formatsByName[wire].codec.decodeRequest(one as JsonObject, {
      path: '/v1beta/models/m:generateContent',
    })
    return { ...context, options: { ...options, model: 'm' } }
  }
  expect(meaningOf(permitted(wire, body))).toMatchObject(meaningOf(body))
})

describe('on isoglot’s own wire', () => {
  const ask = (more: { tools?: object[]; content?: object[]; providerOptions?: object }, allow: string[] = []) => {
    const { tools, content = [{ type: 'text', text: 'Hi' }], providerOptions } = more
    const context = { messages: [{ role: 'user', content }], ...(tools && { tools }) }
    return permittedRequest(
      'isoglot',
      { version: 1, model: 'm', context, options: { ...(providerOptions && { providerOptions }) } },
      allow,
    )
  }

  it.each(wires)('options of %s are refused, or not sent, whatever their value', (format) => {
    for (const value of [{ a: null }, {}, [], { a: { b: null } }, 'x', 1]) {
      expect(() => ask({ providerOptions: { [format]: { web_search_options: value } } })).toThrow('web_search_options')
    }
    const { options } = ask({ providerOptions: { [format]: { web_search_options: null } } })
    expect(JSON.stringify(options)).not.toContain('web_search_options')
    const allow = [`${format}.web_search_options`]
    expect(
      ask({ providerOptions: { [format]: { web_search_options: { a: 1 } } } }, allow).options.providerOptions,
    ).toEqual({
      [format]: { web_search_options: { a: 1 } },
    })
    expect(() => ask({ providerOptions: { [format]: { web_search_options: { a: 1 }, other: 1 } } }, allow)).toThrow(
      'other',
    )
  })

  it('an id of the account is left out, and an id of ours stays', () => {
    const message = (id: string) => ({ role: 'user', id, content: [{ type: 'text', text: 'Hi', id }] })
    const idsOf = (id: string) => {
      const body = { version: 1, model: 'm', context: { messages: [message(id)] } }
      const [read] = permittedRequest('isoglot', body).context.messages
      const [block] = (read?.content ?? []) as readonly ContentBlock[]
      return [read?.id, block?.id]
    }
    expect([idsOf('msg_of_another'), idsOf('msg_iso_1_0')]).toEqual([
      [undefined, undefined],
      ['msg_iso_1_0', 'msg_iso_1_0'],
    ])
  })

  it('a picture has data or an address', () => {
    const data = 'iVBORw0KGgo='
    const url = 'https://example.com/a.png'
    const image = (more: object) => ({ content: [{ type: 'image', mimeType: 'image/png', ...more }] })
    for (const more of [{ data }, { url }]) expect(ask(image(more)).context.messages).toHaveLength(1)
    for (const more of [{}, { data, url }]) expect(() => ask(image(more))).toThrow('"messages.0.content.0')
  })

  it('a tool with two names needs both', () => {
    const both = { type: 'provider_tool', format: 'gemini', value: { googleSearch: {}, codeExecution: {} } }
    const typed = { type: 'provider_tool', format: 'gemini', value: { type: 'googleSearch', codeExecution: {} } }
    const allow = ['gemini.tools.googleSearch']
    for (const tool of [both, typed]) expect(() => ask({ tools: [tool] }, allow)).toThrow('"tools.0" is a tool')
    expect(ask({ tools: [both] }, [...allow, 'gemini.tools.codeExecution']).context.tools).toEqual([both])
  })

  it('a text in a file is permitted, and no file that its name calls something else', () => {
    const file = (filename: string, mimeType = 'text/plain') => ({
      content: [{ type: 'file', data: 'JVBERi0x', mimeType, filename }],
    })
    for (const name of ['a', 'notes', 'a.txt', 'a.CSV', 'a.md'])
      expect(ask(file(name)).context.messages).toHaveLength(1)
    for (const name of ['a.pdf', 'a.txt.pdf', 'a.docx', '.pdf']) expect(() => ask(file(name))).toThrow('filename')
    expect(() => ask(file('a', 'application/pdf'))).toThrow('mimeType')
  })
})

/** As docs/gateway.md says it. */
const allowedFor: Readonly<Record<string, readonly [wire: WireName, ...allow: string[]]>> = {
  'gemini-cli': ['gemini'],
  'opencode/chat': ['openai-chat'],
  'opencode/messages': ['anthropic'],
  codex: [
    'openai-responses',
    'openai-responses.prompt_cache_key',
    'openai-responses.tool_choice',
    ...['custom', 'namespace', 'tool_search', 'local_shell', 'web_search'].map(
      (tool) => `openai-responses.tools.${tool}`,
    ),
  ],
  'claude-code': [
    'anthropic',
    'anthropic.context_management',
    'anthropic.cache_control',
    'anthropic.defer_loading',
    'anthropic.blocks.tool_reference',
  ],
}

it.each(Object.entries(allowedFor))(
  'lets %s, with what its guide allows, and loses no tool',
  (agent, [wire, ...allow]) => {
    const files = globSync(`test/recordings/agents/${agent}${agent.includes('/') ? '' : '/*'}/request.json`)
    expect(files.length).toBeGreaterThan(0)
    for (const file of files) {
      const body = JSON.parse(readFileSync(file, 'utf8'))
      const { context } = permittedRequest(wire, body, allow)
      const asked = formatsByName[wire].codec.decodeRequest(body, { path: '/v1beta/models/m:generateContent' }).context
      expect(context.tools).toEqual(asked.tools)
      expect(context.messages.map(({ role }) => role)).toEqual(asked.messages.map(({ role }) => role))
      const isNeeded = (name: string) =>
        isRefused(() =>
          permittedRequest(
            wire,
            body,
            allow.filter((one) => one !== name),
          ),
        )
      if (file.includes('first'))
        expect(allow.filter(isNeeded).length, file).toBeGreaterThanOrEqual(Math.min(1, allow.length))
    }
  },
)

function isRefused(action: () => unknown): boolean {
  try {
    action()
    return false
  } catch (error) {
    if (error instanceof ApiError || error instanceof DecodeError) return true
    throw error
  }
}
