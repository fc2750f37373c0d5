/** The tools that OpenAI runs itself, with every option of the API: wire §2.2, and the fields of the official client's types. */
import { expect, it } from 'vitest'
import type { JsonObject, ProviderTool } from '../../../src/core/messages.ts'
import {
  codeInterpreter,
  encodeDefinitions,
  fileSearch,
  imageGeneration,
  mcp,
  webSearch,
} from '../../../src/formats/openai-responses/index.ts'

const place = { city: 'Berlin', region: 'Berlin', country: 'DE', timezone: 'Europe/Berlin' }
const filters = { type: 'and' as const, filters: [{ type: 'eq' as const, key: 'language', value: 'de' }] }
const secret = { domain: 'api.example.com', name: 'KEY', value: 'not-a-key' }
const docs = { serverLabel: 'docs', serverUrl: 'https://mcp.example.com' }

it.each<[ProviderTool, JsonObject]>([
  [
    webSearch({
      ...{ allowedDomains: ['nature.com'], externalWebAccess: false, searchContextSize: 'high', userLocation: place },
      version: '2025_08_26',
    }),
    {
      ...{ type: 'web_search_2025_08_26', filters: { allowed_domains: ['nature.com'] }, external_web_access: false },
      ...{ search_context_size: 'high', user_location: { type: 'approximate', ...place } },
    },
  ],
  [
    fileSearch({
      ...{ vectorStoreIds: ['vs_1'], filters, maxResults: 5 },
      ranking: { ranker: 'auto', scoreThreshold: 0, hybridSearch: { embeddingWeight: 0.7, textWeight: 0.3 } },
    }),
    {
      ...{ type: 'file_search', vector_store_ids: ['vs_1'], filters, max_num_results: 5 },
      ranking_options: {
        ...{ ranker: 'auto', score_threshold: 0, hybrid_search: { embedding_weight: 0.7, text_weight: 0.3 } },
      },
    },
  ],
  [codeInterpreter({ container: 'cntr_1' }), { type: 'code_interpreter', container: 'cntr_1' }],
  [
    codeInterpreter({
      container: {
        ...{ fileIds: ['file_1'], memoryLimit: '4g' },
        network: { allowedDomains: ['api.example.com'], domainSecrets: [secret] },
      },
    }),
    {
      type: 'code_interpreter',
      container: {
        ...{ type: 'auto', file_ids: ['file_1'], memory_limit: '4g' },
        network_policy: { type: 'allowlist', allowed_domains: ['api.example.com'], domain_secrets: [secret] },
      },
    },
  ],
  [
    codeInterpreter({ container: { network: 'disabled' } }),
    { type: 'code_interpreter', container: { type: 'auto', network_policy: { type: 'disabled' } } },
  ],
  [
    imageGeneration({
      ...{ action: 'edit', background: 'transparent', complexity: 'low', frameCount: 4, frameDurationMs: 100 },
      ...{ inputFidelity: 'high', mask: { fileId: 'file_1' }, model: 'gpt-image-1.5', moderation: 'low' },
      ...{ outputCompression: 80, outputFormat: 'webp', partialImages: 0, quality: 'medium', size: '1024x1536' },
      svg: { model: 'gpt-5', reasoningEffort: 'low' },
    }),
    {
      ...{ type: 'image_generation', action: 'edit', background: 'transparent', complexity: 'low', frame_count: 4 },
      ...{ frame_duration_ms: 100, input_fidelity: 'high', input_image_mask: { file_id: 'file_1' } },
      ...{ model: 'gpt-image-1.5', moderation: 'low', output_compression: 80, output_format: 'webp' },
      ...{ partial_images: 0, quality: 'medium', size: '1024x1536' },
      svg: { model: 'gpt-5', reasoning: { effort: 'low' } },
    },
  ],
  [
    mcp({
      ...{ serverLabel: 'docs', tunnelId: 'tunnel_1', serverDescription: 'Our documents', allowedTools: [] },
      ...{ authorization: 'not-a-token', headers: { 'x-team': 'a' }, requireApproval: 'never' },
      ...{ allowedCallers: ['direct'], deferLoading: true },
    }),
    {
      ...{ type: 'mcp', server_label: 'docs', tunnel_id: 'tunnel_1', server_description: 'Our documents' },
      ...{ allowed_tools: [], authorization: 'not-a-token', headers: { 'x-team': 'a' }, require_approval: 'never' },
      ...{ allowed_callers: ['direct'], defer_loading: true },
    },
  ],
  [
    mcp({
      ...{ ...docs, allowedTools: { readOnly: true } },
      requireApproval: { always: { toolNames: ['delete'] }, never: { readOnly: true, toolNames: ['search'] } },
    }),
    {
      ...{
        type: 'mcp',
        server_label: 'docs',
        server_url: 'https://mcp.example.com',
        allowed_tools: { read_only: true },
      },
      require_approval: { always: { tool_names: ['delete'] }, never: { read_only: true, tool_names: ['search'] } },
    },
  ],
])('%j is written as %j', (tool, value) => {
  expect(encodeDefinitions([tool])).toEqual([value])
})
