/** The tools that Anthropic runs itself, with every option of the API: wire §2.2, and the fields of the official client's types. */
import { expect, it } from 'vitest'
import type { JsonObject, ProviderTool } from '../../../src/core/messages.ts'
import {
  codeExecution,
  encodeDefinitions,
  encodeRequest,
  webFetch,
  webSearch,
} from '../../../src/formats/anthropic/index.ts'

const place = { city: 'Berlin', region: 'Berlin', country: 'DE', timezone: 'Europe/Berlin' }
const named = (name: string) => ({ type: 'tool_reference', name })

it.each<[ProviderTool, JsonObject]>([
  [webSearch(), { type: 'web_search_20250305', name: 'web_search' }],
  [webFetch(), { type: 'web_fetch_20250910', name: 'web_fetch' }],
  [codeExecution(), { type: 'code_execution_20250825', name: 'code_execution' }],
  [codeExecution({ version: '20260521' }), { type: 'code_execution_20260521', name: 'code_execution' }],
  [
    webSearch({
      ...{ version: '20260318', allowedDomains: ['nature.com'], maxUses: 3, userLocation: place },
      ...{ responseInclusion: 'excluded', allowedCallers: ['direct', 'code_execution_20260120'] },
      ...{ cacheHint: { ttl: '1h' }, deferLoading: false, strict: true },
    }),
    {
      ...{ type: 'web_search_20260318', name: 'web_search', allowed_domains: ['nature.com'], max_uses: 3 },
      ...{ user_location: { type: 'approximate', ...place }, response_inclusion: 'excluded' },
      ...{ allowed_callers: ['direct', 'code_execution_20260120'], cache_control: { type: 'ephemeral', ttl: '1h' } },
      ...{ defer_loading: false, strict: true },
    },
  ],
  [
    webFetch({
      ...{ version: '20260318', blockedDomains: ['example.com'], citations: true, maxContentTokens: 5000, maxUses: 1 },
      ...{ useCache: false, responseInclusion: 'full' },
      urlSources: {
        ...{ userInput: 'none', clientToolResults: { only: ['find'] }, serverToolResults: { except: ['web_fetch'] } },
      },
    }),
    {
      ...{ type: 'web_fetch_20260318', name: 'web_fetch', blocked_domains: ['example.com'] },
      ...{ citations: { enabled: true }, max_content_tokens: 5000, max_uses: 1 },
      ...{ use_cache: false, response_inclusion: 'full' },
      url_sources: {
        user_input: { type: 'none' },
        client_tool_results: { type: 'only', tools: [named('find')] },
        server_tool_results: { type: 'except', tools: [named('web_fetch')] },
      },
    },
  ],
  [
    webFetch({ citations: false, urlSources: { clientToolResults: 'none', serverToolResults: 'all' } }),
    {
      ...{ type: 'web_fetch_20250910', name: 'web_fetch', citations: { enabled: false } },
      url_sources: { client_tool_results: { type: 'none' }, server_tool_results: { type: 'all' } },
    },
  ],
])('%j is written as %j', (tool, value) => {
  expect(encodeDefinitions([tool])).toEqual([value])
})

it('end a cached prefix, and count among the four that one request may have', () => {
  const tools = Array.from({ length: 5 }, () => codeExecution({ cacheHint: 'ephemeral' }))
  const { body } = encodeRequest({ messages: [], tools }, { model: 'claude-x', maxTokens: 1 })
  expect(body.tools?.filter((tool) => tool.cache_control !== undefined)).toHaveLength(4)
})
