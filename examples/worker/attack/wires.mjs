/** By format: its smallest request, and requests that would cost the owner money or reach into a network. A new format is one row. */

const messages = [{ role: 'user', content: 'x' }]
const said = (content) => ({ messages: [{ role: 'user', content }] })
const pdf = { type: 'application/pdf', data: 'JVBERi0xLjQK' }

/**
 * `request`: the path and the body, for one output token. `dear`: fields that are billed separately, or that store data at the provider.
 * `picture`: a question with a picture at this address. `document`: a small file with many pages that all cost.
 */
export const wires = {
  'openai-chat': {
    request: (model) => ({ path: '/v1/chat/completions', body: { model, messages, max_completion_tokens: 1 } }),
    dear: {
      'two answers': { n: 2 },
      'a search': { web_search_options: {} },
      stored: { store: true },
      'a dearer tier': { service_tier: 'priority' },
      'a voice': { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'mp3' } },
    },
    picture: (url) => said([{ type: 'image_url', image_url: { url } }]),
    document: said([{ type: 'file', file: { filename: 'a', file_data: `data:${pdf.type};base64,${pdf.data}` } }]),
  },
  'openai-responses': {
    request: (model) => ({ path: '/v1/responses', body: { model, input: 'x', max_output_tokens: 16 } }),
    dear: {
      stored: { store: true },
      'a search': { tools: [{ type: 'web_search' }] },
      'a container': { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] },
      'what was stored': { previous_response_id: 'resp_0123456789abcdef' },
      'in the background': { background: true },
    },
    picture: (url) => ({ input: [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }] }),
  },
  anthropic: {
    request: (model) => ({ path: '/v1/messages', body: { model, messages, max_tokens: 1 } }),
    dear: {
      'a search': { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      'a container': { container: 'container_0123456789' },
      'servers of others': { mcp_servers: [{ type: 'url', url: 'https://attack.isoglot.example', name: 'x' }] },
      'a dearer tier': { service_tier: 'auto' },
    },
    picture: (url) => said([{ type: 'image', source: { type: 'url', url } }]),
    document: said([{ type: 'document', source: { type: 'base64', media_type: pdf.type, data: pdf.data } }]),
  },
  gemini: {
    request: (model) => ({
      path: `/v1beta/models/${encodeURIComponent(model)}:generateContent`,
      body: { contents: [{ role: 'user', parts: [{ text: 'x' }] }], generationConfig: { maxOutputTokens: 1 } },
    }),
    dear: {
      'two answers': { generationConfig: { candidateCount: 2, maxOutputTokens: 1 } },
      'a search': { tools: [{ googleSearch: {} }] },
      code: { tools: [{ codeExecution: {} }] },
      'what was stored': { cachedContent: 'cachedContents/0123456789' },
    },
    picture: (url) => ({
      contents: [{ role: 'user', parts: [{ fileData: { fileUri: url, mimeType: 'image/png' } }] }],
    }),
    document: { contents: [{ role: 'user', parts: [{ inlineData: { mimeType: pdf.type, data: pdf.data } }] }] },
  },
  ollama: {
    request: (model) => ({ path: '/api/chat', body: { model, messages, stream: false, options: { num_predict: 1 } } }),
    dear: { 'a model kept in memory': { keep_alive: -1 } },
    document: { messages: [{ role: 'user', content: 'x', images: [`data:${pdf.type};base64,${pdf.data}`] }] },
  },
  cohere: {
    request: (model) => ({ path: '/v2/chat', body: { model, messages, max_tokens: 1 } }),
    dear: { 'a dearer tier': { priority: 0 }, 'a search': { connectors: [{ id: 'web-search' }] } },
    picture: (url) => said([{ type: 'image_url', image_url: { url } }]),
  },
  'gemini-interactions': {
    request: (model) => ({
      path: '/v1beta/interactions',
      body: { model, input: 'x', generation_config: { max_output_tokens: 1 } },
    }),
    dear: {
      stored: { store: true },
      'a search': { tools: [{ type: 'google_search' }] },
      'in the background': { background: true },
      'what was stored': { previous_interaction_id: 'v1_0123456789' },
    },
    picture: (uri) => ({ input: [{ type: 'image', uri, mime_type: 'image/png' }] }),
  },
  'bedrock-converse': {
    request: (model) => ({
      path: `/model/${encodeURIComponent(model)}/converse`,
      body: { messages: [{ role: 'user', content: [{ text: 'x' }] }], inferenceConfig: { maxTokens: 1 } },
    }),
    dear: {
      'a dearer tier': { serviceTier: { type: 'priority' } },
      'limits of its own': { additionalModelRequestFields: { max_tokens: 100_000 } },
    },
    document: said([{ document: { format: 'pdf', name: 'a', source: { bytes: pdf.data } } }]),
  },
}
