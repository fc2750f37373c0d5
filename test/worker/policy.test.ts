import { describe, expect, it } from 'vitest'
import type { ChatResponse, JsonObject } from '../../src/core/messages.ts'
import { isPublicUrl } from '../../src/worker/policy/public-url.ts'
import { formatsByName } from '../support/formats-by-name.ts'
import { broken, inward, relative, schemes, scripts } from '../support/hostile-urls.ts'
import { seeded } from '../support/random.ts'
import { minimal, type WireName, wireNames } from './harness.ts'
import { permitted } from './permitted.ts'

/** A schema that every format takes as it is. */
const tidy = { type: 'object', properties: {}, additionalProperties: false }

/** What the codec of the format reads in a body. */
function meaningOf(wire: 'gemini-interactions' | WireName, body: object) {
  const path = '/v1beta/models/demo-model:generateContent'
  return formatsByName[wire].codec.decodeRequest(
    { ...(wire in listOf ? minimal(wire as WireName, 'hi') : {}), ...body } as JsonObject,
    { path },
  )
}

const bodyOf = (wire: WireName, change: object) => permitted(wire, { ...minimal(wire, 'hi'), ...change })

/** Fields that choose a destination, cost by another meter, keep data, or speak for another. */
const forbidden = [
  ...[
    'api_base',
    'base_url',
    'baseURL',
    'api_key',
    'apiKey',
    'api_version',
    'custom_llm_provider',
    'extra_body',
    'extra_headers',
  ],
  ...[
    'extra_query',
    'headers',
    'provider',
    'route',
    'models',
    'fallbacks',
    'plugins',
    'transforms',
    'timeout',
    'url',
    'host',
  ],
  ...[
    'metadata',
    'user',
    'user_id',
    'safety_identifier',
    'store',
    'background',
    'service_tier',
    'speed',
    'inference_geo',
  ],
  ...[
    'prompt_cache_key',
    'prompt_cache_retention',
    'prompt_cache_options',
    'web_search_options',
    'modalities',
    'audio',
    'prediction',
  ],
  ...[
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'functions',
    'function_call',
    'moderation',
    'previous_response_id',
    'conversation',
  ],
  ...[
    'container',
    'mcp_servers',
    'betas',
    'context_management',
    'cache_control',
    'best_of',
    'suffix',
    'echo',
    'num_ctx',
    'options',
  ],
  ...['keep_alive', 'guardrails', 'tags', 'MODEL', 'Model', 'Max_Tokens', '__proto__', 'constructor', 'toString', ''],
]

/** Fields of the list above that a wire has for something harmless, for which 1 is not a value. */
const harmless: Partial<Record<WireName, readonly string[]>> = {
  'openai-chat': ['store', 'user', 'safety_identifier', 'function_call', 'functions', 'metadata'],
  'openai-responses': ['store', 'user', 'safety_identifier', 'metadata'],
  anthropic: ['metadata'],
  ollama: ['options'],
}
/** Fields that continue what a provider stores, where a wire has them. */
const storedFields = ['previous_response_id', 'conversation', 'container']
const temperatureAt: Partial<Record<WireName, (value: unknown) => object>> = {
  gemini: (temperature) => ({ generationConfig: { temperature } }),
  ollama: (temperature) => ({ options: { temperature } }),
}
const topPAt: Partial<Record<WireName, (value: number) => object>> = {
  gemini: (topP) => ({ generationConfig: { topP } }),
  ollama: (top_p) => ({ options: { top_p } }),
}

/** Refused by the policy, or by the codec before it: a gateway answers 400 to both. */
const refusedOrMalformed = /^The Worker refused the request: it is not allowed|^Cannot decode/

describe.each(wireNames)('%s', (wire) => {
  it.each(forbidden)('refuses the field "%s" and names it', (field) => {
    const body = Object.assign(Object.create(null), minimal(wire, 'hi'), { [field]: 1 })
    // Gemini's fields have two spellings.
    const spelled =
      wire === 'gemini' && field !== '__proto__'
        ? field.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase())
        : field
    const isHarmless = harmless[wire]?.includes(field)
    const reason = isHarmless
      ? /has a value that is not allowed|is not a|is not an allowed field/
      : 'is not an allowed field'
    expect(() => permitted(wire, body)).toThrow(reason)
    if (!isHarmless && !storedFields.includes(field)) expect(() => permitted(wire, body)).toThrow(`"${spelled}"`)
    if (field === '__proto__') return
    for (const change of messagesWith(wire, JSON.parse(`{${JSON.stringify(field)}:"x"}`))) {
      expect(() => bodyOf(wire, change)).toThrow(/not an? ?allowed|not allowed|Cannot decode/)
    }
  })

  it('passes on allowed fields', () => {
    const change = { ...(temperatureAt[wire]?.(0.5) ?? { temperature: 0.5 }) }
    expect(bodyOf(wire, change)).toMatchObject(change)
    const store = wire === 'openai-responses' ? { store: false, include: ['reasoning.encrypted_content'] } : {}
    expect(meaningOf(wire, bodyOf(wire, change))).toEqual(meaningOf(wire, { ...change, ...store }))
  })

  it.each([
    ['no messages', []],
    ['a thousand and one messages', Array(1001).fill(messageOf(wire))],
    ['messages that are not a list', 7],
    ['a role of another world', [{ ...messageOf(wire), role: 'root' }]],
    ['a picture from a plain http address', [picture(wire, 'http://169.254.169.254/latest')]],
    ['a picture from a file', [picture(wire, 'file:///etc/passwd')]],
  ])('refuses %s', (_, messages) => {
    expect(() => bodyOf(wire, { [listOf[wire]]: messages })).toThrow(refusedOrMalformed)
  })

  it('permits a top_p of 1, but not more, because it is a probability', () => {
    const withTopP = (top_p: number) => topPAt[wire]?.(top_p) ?? { top_p }
    expect(bodyOf(wire, withTopP(1))).toMatchObject(withTopP(1))
    expect(() => bodyOf(wire, withTopP(1.1))).toThrow('"options.topP" has a value that is not allowed')
  })

  it('repeats no value of the request in a refusal', () => {
    expect(() => bodyOf(wire, temperatureAt[wire]?.('a secret') ?? { temperature: 'a secret' })).toThrow(
      /^(?=.*temperature)(?!.*a secret)/s,
    )
  })

  it('refuses every tool that a provider runs, or that is a separate program', () => {
    for (const tool of hostedTools) expect(() => bodyOf(wire, { tools: [tool] })).toThrow('"tools.0')
  })
})

const hostedTools = [
  { type: 'web_search' },
  { type: 'web_search_20250305', name: 'web_search' },
  { type: 'code_interpreter', container: { type: 'auto' } },
  { type: 'image_generation' },
  { type: 'file_search', vector_store_ids: ['x'] },
  { type: 'mcp', server_label: 'x', server_url: 'https://evil.test' },
  { type: 'bash_20250124', name: 'bash' },
  { type: 'computer_20250124', name: 'computer' },
  { type: 'custom', name: 'x' },
  { googleSearch: {} },
  { urlContext: {} },
  { codeExecution: {} },
]

/** Where each wire has its messages. */
const listOf: Record<WireName, string> = {
  'openai-chat': 'messages',
  'openai-responses': 'input',
  anthropic: 'messages',
  gemini: 'contents',
  ollama: 'messages',
}

function messageOf(wire: WireName): object {
  return wire === 'gemini' ? { role: 'user', parts: [{ text: 'hi' }] } : { role: 'user', content: 'hi' }
}

/** A message with a field more, and a part of it. */
function messagesWith(wire: WireName, field: object): object[] {
  const part = wire === 'gemini' ? [{ role: 'user', parts: [{ text: 'hi', ...field }] }] : undefined
  const changes = [[{ ...messageOf(wire), ...field }], ...(part ? [part] : [])]
  return changes.map((messages) => ({ [listOf[wire]]: messages }))
}

function picture(wire: WireName, url: string): object {
  const parts: Record<WireName, object> = {
    'openai-chat': { content: [{ type: 'image_url', image_url: { url } }] },
    'openai-responses': { content: [{ type: 'input_image', image_url: url }] },
    anthropic: { content: [{ type: 'image', source: { type: 'url', url } }] },
    gemini: { parts: [{ fileData: { fileUri: url } }] },
    ollama: { content: 'hi', images: [{ url }] },
  }
  return { role: 'user', ...parts[wire] }
}

describe('only gemini-interactions', () => {
  const permitInput = (input: unknown, more: object = {}) =>
    permitted('gemini-interactions', { model: 'm', input, ...more })
  const call = { type: 'function_call', id: 'a', name: 'f', arguments: { constructor: 1 }, signature: 'c2ln' }

  it.each([
    ['text', 'hi'],
    [
      'contents',
      [
        { type: 'text', text: 'hi' },
        { type: 'image', data: 'aGk=', mime_type: 'image/png' },
      ],
    ],
    [
      'steps',
      [
        { type: 'user_input', content: [{ type: 'text', text: 'hi' }] },
        { type: 'thought', signature: 'c2ln', summary: [{ type: 'text', text: 'Hm.' }] },
        { type: 'model_output', content: [{ type: 'text', text: 'I look.' }] },
        call,
        { type: 'function_result', call_id: 'a', name: 'f', result: 'x', is_error: true },
      ],
    ],
  ])('passes on %s unchanged, and stores nothing', (_, input) => {
    // A text is one step of the user's.
    const steps = typeof input === 'string' ? [{ type: 'user_input', content: [{ type: 'text', text: input }] }] : input
    const expected =
      Array.isArray(steps) && steps[0]?.type === 'user_input' ? steps : [{ type: 'user_input', content: steps }]
    for (const more of [{}, { store: false }]) {
      expect(permitInput(input, more)).toMatchObject({ model: 'm', store: false })
      expect(meaningOf('gemini-interactions', permitInput(input, more))).toEqual(
        meaningOf('gemini-interactions', { model: 'm', input: expected, store: false }),
      )
    }
  })

  it.each([
    [{ store: true }, '"store" has a value'],
    [{ top_p: 1 }, '"top_p" is not an allowed field'],
    [{ agent: 'deep-research' }, '"agent" is not an allowed field'],
    [{ background: true }, '"background" is not an allowed field'],
    [{ previous_interaction_id: 'v1_a' }, 'it continues a conversation that the provider stores'],
    [{ continuation_token: 'a' }, 'is not an allowed field'],
    [{ service_tier: 'flex' }, '"service_tier" is not an allowed field'],
    [{ tools: [{ type: 'google_search' }] }, '"tools.0"'],
    [{ tools: [{ type: 'mcp_server', url: 'https://evil.test' }] }, '"tools.0'],
    [{ generation_config: { top_p: 1.1 } }, '"options.topP" has a value'],
    [{ generation_config: { video_config: {} } }, '"generation_config.video_config" is not an allowed field'],
    [{ response_format: { type: 'image' } }, '"response_format.type" is not an allowed field'],
  ])('refuses %j by its name', (more, reason) => {
    expect(() => permitInput('hi', more)).toThrow(reason)
  })

  it.each([
    ['no steps', []],
    ['a step of a server tool', [{ type: 'google_search_call', id: 'a' }]],
    ['a stored file', [{ type: 'image', uri: 'https://generativelanguage.googleapis.com/v1beta/files/a' }]],
  ])('refuses %s', (_, input) => {
    expect(() => permitInput(input)).toThrow('The Worker refused the request: it is not allowed')
  })
})

describe('only openai-chat', () => {
  it.each([0, -1, 1.5, '9', [1]])('does not accept %o as a number of tokens', (tokens) => {
    for (const field of ['max_tokens', 'max_completion_tokens'])
      expect(() => bodyOf('openai-chat', { [field]: tokens })).toThrow(/"(options.maxTokens|max_(completion_)?tokens)"/)
  })

  it('permits one answer only', () => {
    expect(bodyOf('openai-chat', { n: 1 })).toMatchObject({ n: 1 })
    expect(() => bodyOf('openai-chat', { n: 2 })).toThrow('"n"')
  })

  it.each([
    [{ type: 'web_search' }],
    [{ type: 'custom', custom: { name: 'x' } }],
    [{ type: 'function', function: { name: 'a b' } }],
    [{ type: 'function', function: { name: 'x', parameters: [] } }],
  ])('refuses the tool %o', (tool) => {
    expect(() => bodyOf('openai-chat', { tools: [tool] })).toThrow(/"tools[.[]0/)
  })

  it('permits a whole tool round as the official client sends it back', () => {
    const change = {
      messages: [
        { role: 'developer', content: [{ type: 'text', text: 'Be brief' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'x' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          refusal: null,
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: 'ok' },
      ],
      tools: [
        {
          type: 'function',
          function: {
            name: 'f',
            parameters: JSON.parse('{"type":"object","properties":{"__proto__":{},"constructor":{}}}'),
          },
        },
      ],
      tool_choice: { type: 'function', function: { name: 'f' } },
      parallel_tool_calls: false,
      stream: true,
      stream_options: { include_usage: true },
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: {}, strict: true } },
      reasoning_effort: 'low',
      stop: ['a'],
    }
    expect(JSON.stringify(bodyOf('openai-chat', change))).toContain('"__proto__":{},"constructor":{}')
    expect(meaningOf('openai-chat', bodyOf('openai-chat', change))).toEqual(meaningOf('openai-chat', change))
  })
})

describe('only openai-responses', () => {
  it('stores nothing at the provider, for any client', () => {
    expect(bodyOf('openai-responses', {})).toMatchObject({ store: false })
    expect(() => bodyOf('openai-responses', { store: true })).toThrow('"store"')
  })

  it('permits a whole tool round as the official client sends it back', () => {
    const change = {
      instructions: 'Be brief',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'x' }] },
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [{ type: 'summary_text', text: 't' }],
          encrypted_content: 'e',
        },
        { type: 'function_call', id: 'fc_1', call_id: 'a', name: 'f', arguments: '{}', status: 'completed' },
        { type: 'function_call_output', call_id: 'a', output: 'ok' },
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          phase: 'final_answer',
          content: [{ type: 'output_text', text: 'x', annotations: [], logprobs: [] }],
        },
      ],
      tools: [{ type: 'function', name: 'f', parameters: tidy, strict: true }],
      tool_choice: { type: 'function', name: 'f' },
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'low', summary: 'auto' },
      text: { format: { type: 'json_schema', name: 'n', schema: {} }, verbosity: 'low' },
      max_output_tokens: 100,
    }
    // Nothing but the ids is missing.
    const input = change.input.map(({ id: _, ...item }) => item)
    expect(meaningOf('openai-responses', bodyOf('openai-responses', change))).toEqual(
      meaningOf('openai-responses', { ...change, input, store: false }),
    )
  })

  it.each(['text', 'json_object'])('takes the format %s of Responses', (type) => {
    expect(bodyOf('openai-responses', { text: { format: { type } } }).text).toEqual({ format: { type } })
  })

  it('names no item of the account, and leaves out reasoning that is only an id', () => {
    const kept = { type: 'reasoning', id: 'rs_of_another', summary: [], encrypted_content: 'e' }
    const input = [
      { type: 'reasoning', id: 'rs_of_another', summary: [] },
      { type: 'reasoning', summary: [], encrypted_content: null },
      kept,
      { type: 'message', id: 'msg_of_another', role: 'assistant', content: 'a' },
      { role: 'user', id: 'msg_of_another', content: 'a' },
      { type: 'function_call', id: 'fc_of_another', call_id: 'a', name: 'f', arguments: '{}' },
      { type: 'function_call_output', id: 'fco_of_another', call_id: 'a', output: 'ok' },
    ]
    const sent = JSON.parse(JSON.stringify(bodyOf('openai-responses', { input }).input))
    expect(JSON.stringify(sent)).not.toContain('of_another')
    expect(sent.map(({ type }: { type?: string }) => type)).toEqual([
      ...['reasoning', 'message', undefined, 'function_call', 'function_call_output'],
    ])
  })

  it('reads the ids that our encoder made, by which the gateway knows that another provider answered', () => {
    const response: ChatResponse = {
      message: {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 't' },
          { type: 'text', text: 'a' },
        ],
      },
      stopReason: 'stop',
    }
    const { output } = formatsByName['openai-responses'].codec.encodeResponse(response).body as {
      output: { id: string }[]
    }
    expect(output.map(({ id }) => id)).toEqual([expect.stringMatching(/^rs_iso_/), expect.stringMatching(/^msg_iso_/)])
    // Its reasoning is not sent to OpenAI, which would refuse it.
    expect(bodyOf('openai-responses', { input: output }).input).toEqual([
      expect.objectContaining({ type: 'message', content: [expect.objectContaining({ text: 'a' })] }),
    ])
  })

  it.each([
    { type: 'item_reference', id: 'rs_1' },
    { type: 'compaction', encrypted_content: 'x' },
    { type: 'mcp_call' },
  ])('refuses the item %o', (item) => {
    expect(() => bodyOf('openai-responses', { input: [item] })).toThrow(
      'The Worker refused the request: it is not allowed',
    )
  })
})

describe('only gemini', () => {
  it('permits a whole tool round as the official client sends it back', () => {
    const change = {
      systemInstruction: { role: 'user', parts: [{ text: 'Be brief' }] },
      contents: [
        { role: 'user', parts: [{ text: 'x' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
        {
          role: 'model',
          parts: [{ functionCall: { id: 'a', name: 'f', args: { x: 1 } }, thoughtSignature: 'c2ln' }],
        },
        { role: 'user', parts: [{ functionResponse: { id: 'a', name: 'f', response: { output: 'ok' } } }] },
      ],
      tools: [
        {
          functionDeclarations: [
            { name: 'f', parametersJsonSchema: { type: 'object', properties: { a: { type: 'string' } } } },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
      generationConfig: { maxOutputTokens: 9, thinkingConfig: { includeThoughts: true, thinkingBudget: 0 } },
    }
    expect(meaningOf('gemini', bodyOf('gemini', change))).toEqual(meaningOf('gemini', change))
  })

  it.each([
    ['sound', { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } }],
    ['a document', { inlineData: { mimeType: 'application/pdf', data: 'AAAA' } }],
    ['a file of somebody', { fileData: { mimeType: 'image/png', fileUri: 'gs://bucket/x' } }],
  ])('refuses %s', (_, part) => {
    expect(() => bodyOf('gemini', { contents: [{ role: 'user', parts: [part] }] })).toThrow('is not')
  })
})

describe('only ollama', () => {
  it('permits a whole tool round as the official client sends it back', () => {
    const change = {
      messages: [
        { role: 'user', content: 'x', images: ['AAAA'] },
        {
          role: 'assistant',
          content: '',
          thinking: 't',
          tool_calls: [{ function: { name: 'f', arguments: { x: 1 } } }],
        },
        { role: 'tool', content: 'ok', tool_name: 'f' },
      ],
      tools: [{ type: 'function', function: { name: 'f', parameters: tidy } }],
      think: 'low',
      format: { type: 'object' },
      options: { num_predict: 9, temperature: 0 },
    }
    expect(meaningOf('ollama', bodyOf('ollama', change))).toEqual(meaningOf('ollama', change))
  })

  it.each(['', 'DATA:', 'data:application/pdf;base64,', 'data:video/mp4;base64,', 'https://', 'file:///'])(
    'takes pictures in base64, and nothing else: "%s"',
    (prefix) => {
      const shown = () => bodyOf('ollama', { messages: [{ role: 'user', content: 'x', images: [`${prefix}AAAA`] }] })
      if (prefix === '') expect(shown()).toMatchObject({ messages: [{ images: ['AAAA'] }] })
      else
        expect(shown).toThrow(/"messages.0.content.1.\w+" has a value that is not allowed|"messages\[0\].images\[0\]"/)
    },
  )

  it.each(['num_ctx', 'num_gpu', 'num_thread', 'mirostat', 'main_gpu'])('refuses the option %s', (option) => {
    expect(() => bodyOf('ollama', { options: { [option]: 1 } })).toThrow(`"options.${option}" is not an allowed field`)
  })

  it.each([-1, -2, 0, Number.POSITIVE_INFINITY])('does not accept %o as a number of tokens', (num_predict) => {
    expect(() => bodyOf('ollama', { options: { num_predict } })).toThrow(refusedOrMalformed)
  })

  it.each([
    ['min_p', 1],
    ['temperature', 2],
    ['repeat_penalty', 2],
    ['presence_penalty', 2],
    ['frequency_penalty', 2],
  ])('permits the option %s up to %i', (option, most) => {
    const withOption = (value: number) => ({ options: { [option]: value } })
    expect(bodyOf('ollama', withOption(most))).toMatchObject(withOption(most))
    expect(() => bodyOf('ollama', withOption(most + 0.1))).toThrow(/"options\.\w+" has a value/)
  })
})

describe('only anthropic', () => {
  it('sends the provider our own name of the user, if the client sends one', () => {
    expect(bodyOf('anthropic', { metadata: { user_id: 'somebody else' } })).toMatchObject({
      metadata: { user_id: 'ada' },
    })
    expect(bodyOf('anthropic', {})).not.toHaveProperty('metadata')
  })

  it.each([
    [{ type: 'web_search_20250305', name: 'web_search' }],
    [{ type: 'bash_20250124', name: 'bash' }],
    [{ type: 'computer_20250124', name: 'computer' }],
    [{ name: 'x' }],
  ])('refuses the tool %o', (tool) => {
    expect(() => bodyOf('anthropic', { tools: [tool] })).toThrow('"tools.0')
  })

  it('permits a whole tool round as the official client sends it back', () => {
    const sent = (citations: object, caller: object) => ({
      system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral' } }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'x' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 't', signature: 's' },
            { type: 'redacted_thinking', data: 'd' },
            { type: 'text', text: 'x', ...citations },
            { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 }, ...caller },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'a', is_error: true, content: [{ type: 'text', text: 'no' }] }],
        },
      ],
      tools: [{ name: 'f', input_schema: tidy }],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      thinking: { type: 'enabled', budget_tokens: 1024 },
      max_tokens: 4096,
    })
    // Fields that an answer has, and that say nothing, are left out.
    const asked = bodyOf('anthropic', sent({ citations: null }, { caller: { type: 'direct' } }))
    expect(meaningOf('anthropic', asked)).toEqual(meaningOf('anthropic', sent({}, {})))
  })
})

describe('data next to a text of an answer', () => {
  const web = { type: 'url_citation', url: 'https://a.example', title: 'A', start_index: 0, end_index: 1 }
  const named = [
    { type: 'file_path', file_id: 'file-of-another' },
    { type: 'file_citation', file_citation: { file_id: 'file-of-another' } },
    { type: 'container_file_citation', container_id: 'cntr-of-another', filename: 'a' },
    { type: 'x', itemId: 'of-another' },
    { type: 'x', deep: [{ vector_store_ids: ['of-another'] }] },
    { type: 'char_location', cited_text: 'a', file_id: 'file-of-another' },
  ]
  const beside: [WireName, string, (facts: object[]) => object][] = [
    ['openai-chat', 'annotations', (annotations) => ({ messages: [{ role: 'assistant', content: 'a', annotations }] })],
    [
      'openai-responses',
      'annotations',
      (annotations) => ({ input: [{ role: 'assistant', content: [{ type: 'output_text', text: 'a', annotations }] }] }),
    ],
    [
      'openai-responses',
      'logprobs',
      (logprobs) => ({ input: [{ role: 'assistant', content: [{ type: 'output_text', text: 'a', logprobs }] }] }),
    ],
    [
      'anthropic',
      'citations',
      (citations) => ({ messages: [{ role: 'assistant', content: [{ type: 'text', text: 'a', citations }] }] }),
    ],
  ]

  it.each(beside)('of %s: %s name no file, container or item of the account', (wire, field, body) => {
    const kept = { ...web, file_id: null }
    expect(JSON.stringify(bodyOf(wire, body([web, ...named, kept])))).toBe(
      JSON.stringify(bodyOf(wire, body([web, kept]))),
    )
    // A provider takes them back, or nothing of them is sent.
    const isSent = wire === 'anthropic' || (field === 'annotations' && wire === 'openai-responses')
    expect(JSON.stringify(bodyOf(wire, body([web]))).includes('https://a.example')).toBe(isSent)
  })
})

describe('a picture at a URL', () => {
  const pictures: Partial<Record<WireName, (url: string) => object>> = {
    'openai-chat': (url) => ({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] }),
    'openai-responses': (image_url) => ({ input: [{ role: 'user', content: [{ type: 'input_image', image_url }] }] }),
    anthropic: (url) => ({
      messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url } }] }],
    }),
  }
  const each = Object.entries(pictures) as [WireName, (url: string) => object][]

  it.each([
    'https://example.com/a.png',
    'https://example.com:8443/a.png?b=c@d',
    'https://8.8.8.8/a.png',
    'https://172.32.0.1/a.png',
    'https://[2606:4700::1111]/a.png',
    'https://bücher.example.com/a.png',
  ])('is passed on from %s', (url) => {
    for (const [wire, body] of each) expect(JSON.stringify(bodyOf(wire, body(url)))).toContain(url)
  })

  it.each([
    'https://169.254.169.254/latest',
    'https://user:pw@example.com/a.png',
    'https://user@example.com/a.png',
    'https://:pw@example.com/a.png',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.0.0.1/',
    'https://017700000001/',
    'https://127.0.0.1./',
    'https://①②⑦.0.0.1/',
    'https://0.0.0.0/',
    'https://10.1.2.3/',
    'https://100.100.100.200/',
    'https://172.16.0.1/',
    'https://172.31.255.255/',
    'https://192.168.1.1/',
    'https://198.18.0.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:8.8.8.8]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1]/',
    'https://[2002:7f00:1::]/',
    'https://[2001::1]/',
    'https://[2001:db8::1]/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://a.localhost/',
    'https://metadata.google.internal/',
    'https://metadata/',
    'https://printer.local/',
    'https://router.home.arpa/',
    'https:///a.png',
    'https:example.com/a.png',
    'https://example.com\\@169.254.169.254/',
    'https://\\169.254.169.254/',
    'https://exa\tmple.com/a.png',
    ' https://example.com/a.png',
    'https://example.com/a\n.png',
    'https://',
    'http://example.com/a.png',
    'ftp://example.com/a.png',
    'file:///etc/passwd',
    'data:text/html;base64,AAAA',
  ])('is refused at %s', (url) => {
    for (const [wire, body] of each) expect(() => bodyOf(wire, body(url))).toThrow('has a value that is not allowed')
  })
})

/** The host that a URL has for parsers of other kinds: of the standards, and of libraries that read an address from the left or the right. */
const readHosts: readonly ((url: string) => string | undefined)[] = [
  (url) => new URL(url).hostname,
  // https://www.rfc-editor.org/rfc/rfc3986#appendix-B
  (url) => hostOf(/^[^:/?#]+:\/\/([^/?#]*)/.exec(url)?.[1], 'lastIndexOf'),
  (url) => hostOf(/^[^:/?#]+:\/\/([^/?#]*)/.exec(url)?.[1], 'indexOf'),
  // They end at the first slash only.
  (url) => hostOf(url.split('/')[2], 'lastIndexOf'),
  (url) => hostOf(url.split('/')[2], 'indexOf'),
  // They decode first, or take a backslash for a slash, as browsers do.
  (url) => hostOf(decodeURIComponent(url.replace(/%(?![\da-f]{2})/gi, '%25')).split('/')[2], 'lastIndexOf'),
  (url) => hostOf(url.replaceAll('\\', '/').split(/[/?#]/)[2], 'lastIndexOf'),
  (url) => hostOf(url.replace(/[\t\n\r]/g, '').split(/[/?#;&]/)[2], 'lastIndexOf'),
]
const hostOf = (authority = '', find: 'indexOf' | 'lastIndexOf') =>
  authority
    .slice(authority[find]('@') + 1)
    .replace(/:\d*$/, '')
    .toLowerCase()

describe('a URL that leads inside, or has another host for another parser', () => {
  it('is not public', () => {
    expect(inward.length).toBeGreaterThan(900)
    expect(inward.filter(isPublicUrl)).toEqual([])
    for (const url of [...scripts, ...schemes, ...broken, ...relative].filter(
      (url) => !url.startsWith('https://docs.example'),
    ))
      expect([url, isPublicUrl(url)]).toEqual([url, false])
  })

  it('is never one that passes: of random URLs, only those pass that have one public host for all parsers', () => {
    const random = seeded(26)
    const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T
    const pieces = [
      'docs.example.com',
      'a',
      '10.0.0.1',
      'localhost',
      '[::1]',
      '8.8.8.8',
      '.',
      '..',
      ':',
      ':443',
      '@',
      '/',
      '//',
      '?',
      '#',
    ]
    pieces.push(
      ...['\\', ';', '&', '%2f', '%40', '%2e', '\t', ' ', '\u3002', '\u2460', '\u0000', '-', '_', 'x=', 'a.png', 'ü'],
    )
    let passed = 0
    for (let round = 0; round < 30_000; round++) {
      const start = random() < 0.5 ? 'docs.example.com' : ''
      const url = `https://${start}${Array.from({ length: 1 + Math.floor(random() * 5) }, () => pick(pieces)).join('')}`
      if (!isPublicUrl(url)) continue
      passed++
      const hosts = new Set(readHosts.map((read) => new URL(`https://${read(url)}/`).hostname))
      expect([url, hosts.size]).toEqual([url, 1])
      expect([...hosts][0]).not.toMatch(/^(?:10\.0\.0\.1|[^.]*)\.*$/)
    }
    expect(passed).toBeGreaterThan(500)
  })

  it.each([
    'https://docs.example.com/@a/b@1.2.3/c.png?d=e@f#g@h',
    'https://docs.example.com./a.png',
    'https://xn--bcher-kva.example.com/ü.png',
    'https://docs_1.example.com:8443',
  ])('is not %s', (url) => expect(isPublicUrl(url)).toBe(true))
})

/** IANA's special-purpose blocks of IPv4: the first and the last address of each. @see RFC 6890 */
const specialBlocks = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '255.255.255.255'],
] as const

/**
 * Blocks within the addresses that are routed which are refused, by their first two groups: IANA's special-purpose blocks (RFC 6890), and all
 * of 3fff, whose first part is for documentation (RFC 9637).
 */
it.each([
  ['2001:0', '2001:1ff'],
  ['2001:db8', '2001:db8'],
  ['2002:0', '2002:ffff'],
  ['3fff:0', '3fff:ffff'],
])('from %s to %s no address of IPv6 is public, and those beside them are', (first, last) => {
  const numberOf = (groups: string) =>
    groups.split(':').reduce((sum, group) => sum * 65536 + Number.parseInt(group, 16), 0)
  const isPublic = (number: number) =>
    isPublicUrl(`https://[${(number >>> 16).toString(16)}:${(number & 65535).toString(16)}::1]/a.png`)
  const [from, to] = [numberOf(first), numberOf(last)]
  expect([isPublic(from), isPublic(to)]).toEqual([false, false])
  const global = numberOf('4000:0') // where the addresses that are routed end
  expect([isPublic(from - 1), isPublic(to + 1)]).toEqual([true, to + 1 < global])
})

it.each(specialBlocks)('from %s to %s no address is public, and those beside them are', (first, last) => {
  const numberOf = (address: string) => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  const addressOf = (number: number) => [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.')
  const isPublic = (number: number) => isPublicUrl(`https://${addressOf(number)}/a.png`)
  const [from, to] = [numberOf(first), numberOf(last)]
  const isSpecial = (number: number) => specialBlocks.some(([a, b]) => numberOf(a) <= number && number <= numberOf(b))
  expect([isPublic(from), isPublic(to), isPublic(Math.floor((from + to) / 2))]).toEqual([false, false, false])
  const beside = [from - 1, to + 1].filter((number) => number >= 0 && number < 2 ** 32)
  for (const number of beside) expect(isPublic(number)).toBe(!isSpecial(number))
})
