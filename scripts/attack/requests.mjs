/** The smallest request of each format, for one output token, so that a request that is accepted by mistake costs almost nothing. */

/** A model that is in no table. */
export const noModel = 'isoglot-attack-no-such-model'

const messages = [{ role: 'user', content: 'x' }]
/** The headers of a JSON body. */
export const json = { 'content-type': 'application/json' }

/** By format: the path and the body. */
export const wires = {
  'openai-chat': (model) => ({ path: '/v1/chat/completions', body: { model, messages, max_completion_tokens: 1 } }),
  'openai-responses': (model) => ({ path: '/v1/responses', body: { model, input: 'x', max_output_tokens: 16 } }),
  anthropic: (model) => ({ path: '/v1/messages', body: { model, messages, max_tokens: 1 } }),
  gemini: (model) => ({
    path: `/v1beta/models/${encodeURIComponent(model)}:generateContent`,
    body: { contents: [{ role: 'user', parts: [{ text: 'x' }] }], generationConfig: { maxOutputTokens: 1 } },
  }),
  ollama: (model) => ({ path: '/api/chat', body: { model, messages, stream: false, options: { num_predict: 1 } } }),
  cohere: (model) => ({ path: '/v2/chat', body: { model, messages, max_tokens: 1 } }),
  'gemini-interactions': (model) => ({
    path: '/v1beta/interactions',
    body: { model, input: 'x', generation_config: { max_output_tokens: 1 } },
  }),
  'bedrock-converse': (model) => ({
    path: `/model/${encodeURIComponent(model)}/converse`,
    body: { messages: [{ role: 'user', content: [{ text: 'x' }] }], inferenceConfig: { maxTokens: 1 } },
  }),
}

/** A request of a wire; `more` are fields of the body. */
export function question(wire, { model = noModel, headers = {}, more = {} } = {}) {
  const { path, body } = wires[wire](model)
  return { path, headers: withJson(headers), body: { ...body, ...more } }
}

/** The headers, with the content type of JSON unless they have another one. */
function withJson(headers) {
  if (Array.isArray(headers)) return [['content-type', 'application/json'], ...headers]
  return { ...json, ...headers }
}

export const bearer = (token) => ({ authorization: `Bearer ${token}` })
