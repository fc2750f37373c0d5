/** Conversations made up so that each field of `src/core/messages.ts` that a wire may get is in one of them, with a value of its own. */
import type { ContentBlock, Context, Message, RequestOptions, ToolDefinition } from '../../src/core/messages.ts'
import { toolCall } from '../../src/messages/block.ts'
import { wires as formatNames } from './answers.ts'
import { inTurn } from './cuts.ts'
import { formats } from './formats.ts'
import type { Asked } from './silence.ts'

/** Each option, by itself. */
const options: readonly Omit<RequestOptions, 'model'>[] = [
  { stream: true },
  { maxTokens: 4321 },
  { temperature: 0.31 },
  { topP: 0.37 },
  { topK: 41 },
  { seed: 4242 },
  { stop: ['STOP-ONE'] },
  { stop: ['S1', 'S2', 'S3', 'S4', 'S5', 'S6'] },
  { stop: [' '] },
  { frequencyPenalty: 0.43 },
  { presencePenalty: 0.47 },
  ...(['auto', 'none', 'required'] as const).map((toolChoice) => ({ toolChoice })),
  { toolChoice: { name: 'find' } },
  { toolChoice: { names: ['find', 'look'], mode: 'auto' } },
  { toolChoice: { names: ['find', 'look'], mode: 'required' } },
  { parallelToolCalls: true },
  { parallelToolCalls: false },
  { responseFormat: { type: 'json' } },
  { responseFormat: { type: 'json', schema: schemaOf('answer') } },
  {
    responseFormat: {
      type: 'json',
      schema: schemaOf('answer'),
      name: 'name_of_format',
      description: 'what the format is for',
      strict: true,
    },
  },
  ...(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const).map((effort) => ({
    reasoning: { effort },
  })),
  ...[0, 100, 1024, 4096, 20_000, 100_000].map((budgetTokens) => ({ reasoning: { budgetTokens } })),
  { reasoning: { effort: 'low', budgetTokens: 9000 } },
  { reasoning: {} },
  { user: 'the-end-user-7' },
  ...[...formatNames, 'openai', 'google', 'nobody'].map((format) => ({
    providerOptions: { [format]: { field_of_its_own: 'kept-option-value' } },
  })),
]

function schemaOf(name: string): { readonly [keyword: string]: unknown } {
  return {
    type: 'object',
    properties: { [name]: { type: 'string', description: `what ${name} is` } },
    required: [name],
    additionalProperties: false,
  }
}

const tools: readonly ToolDefinition[] = [
  { name: 'find', description: 'finds some things', parameters: schemaOf('query') },
  { name: 'look', description: 'looks at things', parameters: schemaOf('place') },
]

const definitions: readonly NonNullable<Context['tools']>[number][] = [
  { name: 'strict_one', strict: true, parameters: schemaOf('exact') },
  { name: 'loose_one', strict: false, parameters: schemaOf('loose') },
  { name: 'bare_one' },
  { name: 'cached', parameters: schemaOf('cached'), metadata: { cacheHint: 'ephemeral' } },
  { name: 'hinted', parameters: schemaOf('hinted'), annotations: { readOnlyHint: true, title: 'The title' } },
  ...formatNames.flatMap((format) => [
    { name: 'kept', parameters: schemaOf('kept'), providerData: { [format]: { own_field: 'kept-tool-value' } } },
    { type: 'provider_tool' as const, format, value: { type: 'web_search_of_its_own' } },
  ]),
]

const png = 'iVBORw0KGgoAAAANSUhEUg=='
const citation = {
  type: 'citation',
  url: 'https://source.example/page',
  title: 'Title of source',
  text: 'the passage cited',
  startIndex: 2,
  endIndex: 5,
} as const

/** The possible makers of a proof: another provider, and the wire's own under another name. */
const proofs = [
  {
    provider: 'openai',
    model: 'gpt-5',
    format: 'openai-responses',
    data: { id: 'rs_proof_of_openai', encrypted_content: 'ZW5jcnlwdGVk' },
  },
  {
    provider: 'anthropic',
    model: 'claude-sonnet-5',
    format: 'anthropic',
    data: { signature: 'c2lnbmF0dXJlIG9mIGNsYXVkZQ==' },
  },
  {
    provider: 'gemini',
    model: 'gemini-3-flash',
    format: 'gemini',
    data: { thoughtSignature: 'c2lnbmF0dXJlIG9mIGdlbWluaQ==' },
  },
  {
    provider: 'somebody',
    model: 'other',
    format: 'openai-chat',
    data: { extra_content: { google: { thought_signature: 'c29tZWJvZHk=' } } },
  },
] as const

/** Blocks that may stand in any message. */
const said: readonly ContentBlock[] = [
  { type: 'text', text: 'just some plain text' },
  { type: 'text', text: 'text with a hint', metadata: { cacheHint: 'ephemeral' } },
  { type: 'text', text: 'text with a long hint', metadata: { cacheHint: { ttl: '12h' } } },
  { type: 'plain_text', text: 'a text document', title: 'Title of document', mimeType: 'text/markdown' },
  {
    type: 'unknown',
    format: 'openai-chat',
    providerType: 'novelty',
    value: { type: 'novelty', value: 'unknown-of-chat' },
  },
  { type: 'unknown', format: 'gemini', providerType: 'novelty', value: { novelty: 'unknown-of-gemini' } },
  ...['openai-chat', 'openai-responses', 'anthropic', 'gemini'].map((format) => ({
    type: 'text' as const,
    text: 'text with kept fields',
    providerData: { [format]: { own_field: 'kept-block-value' } },
  })),
  { type: 'text', text: 'text that is cited', citations: [citation] },
  ...['openai-chat', 'openai-responses', 'anthropic', 'gemini'].map((format) => ({
    type: 'text' as const,
    text: 'text that is cited too',
    citations: [{ ...citation, providerData: { [format]: { type: 'url_citation', own: 'own citation' } } }],
  })),
  { type: 'text', text: 'I will not do this', refusal: true },
]

const media: readonly ContentBlock[] = [
  { type: 'image', data: png, mimeType: 'image/png' },
  { type: 'image', data: png, mimeType: 'image/png', detail: 'high' },
  { type: 'image', url: 'https://media.example/picture.png', detail: 'low' },
  { type: 'image', fileId: 'file-id-of-picture' },
  { type: 'audio', data: 'UklGRiQAAABXQVZF', mimeType: 'audio/wav', transcript: 'what is said in it' },
  { type: 'audio', url: 'https://media.example/sound.wav' },
  { type: 'video', data: 'AAAAIGZ0eXBpc29t', mimeType: 'video/mp4' },
  { type: 'video', url: 'https://media.example/movie.mp4' },
  { type: 'file', data: 'JVBERi0xLjQK', mimeType: 'application/pdf', filename: 'document-name.pdf' },
  { type: 'file', url: 'https://media.example/paper.pdf', filename: 'paper-name.pdf' },
  { type: 'file', fileId: 'file-id-of-paper', filename: 'stored-name.pdf' },
]

const ofTurns: readonly ContentBlock[] = [
  { type: 'reasoning', text: 'a thought without proof' },
  { type: 'image', data: png, mimeType: 'image/png' },
  { type: 'audio', id: 'audio_id_1', data: 'UklGRiQAAABXQVZF', transcript: 'what the model said' },
  citation,
  { type: 'tool_call_chunk', index: 0, name: 'find', argumentsDelta: '{"query":"pie' },
  { type: 'server_tool_call', id: 'srv_1', name: 'web_search', arguments: { query: 'something' } },
  {
    type: 'server_tool_result',
    toolCallId: 'srv_1',
    name: 'web_search',
    status: 'success',
    output: [{ url: 'https://found.example' }],
  },
  ...proofs.flatMap((opaque): ContentBlock[] => [
    { type: 'text', text: 'a text with a proof', opaque },
    { type: 'reasoning', text: 'a thought with a proof', opaque },
    { type: 'reasoning', text: '', opaque },
  ]),
]

const question: Message = { role: 'user', content: 'the first question' }
const again: Message = { role: 'user', content: 'the last question' }

function turnWith(...blocks: readonly ContentBlock[]): Message[] {
  return [question, { role: 'assistant', content: [...blocks, { type: 'text', text: 'the end of the turn' }] }, again]
}

function callWith(more: Partial<ContentBlock>, result: Partial<Message> = {}): Message[] {
  const call = {
    type: 'tool_call' as const,
    id: 'call_abc12',
    name: 'find',
    arguments: { query: 'the argument' },
    argumentsText: '{"query":"the argument"}',
    index: 0,
    complete: true as const,
  }
  return [
    question,
    { role: 'assistant', content: [{ ...call, ...more } as ContentBlock] },
    { role: 'tool', toolCallId: 'call_abc12', name: 'find', content: 'the result of the call', ...result } as Message,
  ]
}

const result: ContentBlock = { type: 'tool_result', toolCallId: 'call_inner', content: 'a result in an odd place' }
const stray = toolCall('call_stray', 'find', { query: 'a call in an odd place' })
const misplaced: readonly (readonly [role: 'system' | 'user' | 'assistant', block: ContentBlock])[] = [
  ['system', result],
  ['system', stray],
  ['user', stray],
  ['assistant', result],
]

const hint = { cacheHint: 'ephemeral' } as const
/** Gemini keeps what a content says beside its parts under that name. */
const kept = formatNames.map((format) => {
  const fields = { own_field: 'kept-message-value' }
  return { [format]: format === 'gemini' ? { content: fields } : fields }
})

const contexts: readonly Context[] = [
  { system: 'the system text', messages: [question] },
  { system: '', messages: [question] },
  { messages: [{ role: 'user', content: '' }, question] },
  ...[...said, ...media].map((block) => ({
    system: [{ type: 'text' as const, text: 'before it' }, block],
    messages: [question],
  })),
  ...media.map((block) => ({ messages: [{ role: 'system' as const, content: [block] }, question] })),
  ...[...said, ...media].map((block) => ({
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'see this' }, block] }],
  })),
  ...[...said, ...ofTurns].map((block) => ({ messages: turnWith(block) })),
  ...said.map((block) => ({ messages: callWith({}, { content: [{ type: 'text', text: 'a first part' }, block] }) })),
  ...media.map((block) => ({ messages: callWith({}, { content: [{ type: 'text', text: 'a first part' }, block] }) })),
  { messages: callWith({ metadata: hint }) },
  { messages: callWith({}, { metadata: hint }) },
  { messages: callWith({}, { status: 'error' }) },
  { messages: callWith({}, { artifacts: ['stored'], extra: { kept: 'here' } }) },
  ...proofs.map((opaque) => ({ messages: callWith({ opaque }) })),
  ...kept.flatMap((providerData) => [
    { messages: callWith({ providerData }) },
    { messages: callWith({}, { providerData }) },
    { messages: [{ ...question, providerData }] },
    { messages: [question, { role: 'assistant' as const, content: 'an answer', providerData }, again] },
    { messages: [{ role: 'system' as const, content: 'a system message', providerData }, question] },
  ]),
  { messages: [{ ...question, name: 'name_of_user' }] },
  { messages: [{ ...question, metadata: hint }] },
  { messages: [{ role: 'system', content: 'a system message', name: 'name_of_system', metadata: hint }, question] },
  { messages: [{ role: 'developer', content: 'a developer message' }, question] },
  { messages: [question, { role: 'assistant', content: 'an answer', name: 'name_of_model', metadata: hint }, again] },
  {
    messages: [
      question,
      { role: 'assistant', content: 'an answer' },
      { role: 'system', content: 'a late message' },
      again,
    ],
  },
  {
    messages: [
      question,
      { role: 'assistant', content: 'an answer' },
      { role: 'developer', content: 'a late message' },
      again,
    ],
  },
  {
    messages: [
      question,
      {
        role: 'assistant',
        content: 'it calls',
        invalidToolCalls: [
          {
            type: 'invalid_tool_call',
            id: 'call_bad01',
            name: 'find',
            index: 0,
            argumentsText: '{"query": "cut of',
            reason: 'truncated',
            error: 'The arguments are cut off',
          },
        ],
      },
      { role: 'tool', toolCallId: 'call_bad01', name: 'find', content: 'it was not run', status: 'error' },
    ],
  },
  {
    messages: [
      ...callWith({}).slice(0, 2),
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            toolCallId: 'call_abc12',
            name: 'find',
            content: 'a result in a block',
            isError: true,
            metadata: hint,
          },
          { type: 'text', text: 'and what now?' },
        ],
      },
    ],
  },
  // Fields of messages that become other messages.
  {
    messages: [
      ...callWith({}).slice(0, 2),
      { role: 'user', name: 'name_of_user', metadata: hint, content: [{ ...result, toolCallId: 'call_abc12' }] },
    ],
  },
  {
    messages: [
      question,
      { role: 'tool', toolCallId: 'call_none', status: 'error', metadata: hint, content: 'the result of no call' },
      again,
    ],
  },
  ...kept.flatMap((providerData): Context[] => [
    {
      messages: [
        ...callWith({}).slice(0, 2),
        { role: 'user', providerData, content: [{ ...result, toolCallId: 'call_abc12' }] },
      ],
    },
    {
      messages: [
        question,
        { role: 'tool', toolCallId: 'call_none', providerData, content: 'the result of no call' },
        again,
      ],
    },
    {
      messages: [
        question,
        { role: 'assistant', content: 'an answer' },
        { role: 'system', providerData, content: 'a late message' },
        again,
      ],
    },
  ]),
  {
    messages: [
      question,
      { role: 'assistant', content: 'an answer' },
      { role: 'system', name: 'name_of_system', metadata: hint, content: 'a late message' },
      again,
    ],
  },
  { messages: [question, { role: 'assistant', content: 'it calls', toolCalls: [stray] }, again] },
  // A result or a call where no wire has one.
  ...misplaced.flatMap(([role, block]): { messages: Message[] }[] => {
    const content: ContentBlock[] = [{ type: 'text', text: 'beside it' }, block]
    const [asking, calling, result] = callWith({})
    return [
      { messages: [question, { role, content }, again] },
      { messages: [asking as Message, calling as Message, { ...result, content } as Message, again] },
    ]
  }),
  ...definitions.map((tool) => ({ messages: [question], tools: [...tools, tool] })),
  ...definitions.map((tool) => ({ messages: [question], tools: [tool] })),
  { messages: [question], providerState: { previousResponseId: 'resp_of_before' } },
  { messages: [question], providerState: { conversationId: 'conv_of_before' } },
  { messages: [question], providerState: { containerId: 'container_of_before' } },
  { messages: [question], providerState: { continuationToken: 'token_of_before' } },
  { messages: [question], providerState: { anything: 'state_of_somebody' } },
  {
    messages: [question, { role: 'assistant', content: 'an answer' }, again],
    providerState: { previousResponseId: 'resp_of_before' },
  },
]

/** All of them, for this model. */
export function madeRequests(model: string): readonly Asked[] {
  const foreign = [{ type: 'provider_tool' as const, format: 'nobody', value: { type: 'search' } }]
  return [
    ...options.flatMap((one): Asked[] => [
      { context: { messages: [question] }, options: { ...one, model } },
      { context: { messages: [question], tools }, options: { ...one, model } },
      { context: { messages: [question], tools: foreign }, options: { ...one, model } },
    ]),
    ...contexts.map((context) => ({ context, options: { model } })),
  ]
}

/** What the client of a format writes for every field of the model; daily, one request in `share`. */
export function writtenBodies(wire: string, share: number): readonly unknown[] {
  const { client } = formats.find(({ folder }) => folder === wire) as (typeof formats)[number]
  return inTurn(madeRequests('m'), share).flatMap(({ context, options }) => {
    try {
      return [JSON.parse(JSON.stringify(client.encodeRequest(context, { ...options, strict: false }).body))]
    } catch {
      return []
    }
  })
}
