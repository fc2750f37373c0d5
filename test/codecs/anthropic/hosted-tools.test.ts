/** The tools that Anthropic runs itself: wire §2.2, and the fields of the official client's types. */
import { describe, expect, it } from 'vitest'
import type { ProviderTool } from '../../../src/core/messages.ts'
import {
  codeExecution,
  encodeDefinitions,
  encodeRequest,
  webFetch,
  webSearch,
} from '../../../src/formats/anthropic/index.ts'

describe('tools that Anthropic runs', () => {
  it('need no options', () => {
    expect(encodeDefinitions([webSearch(), webFetch(), codeExecution()])).toEqual([
      { type: 'web_search_20250305', name: 'web_search' },
      { type: 'web_fetch_20250910', name: 'web_fetch' },
      { type: 'code_execution_20250825', name: 'code_execution' },
    ])
  })

  it('stand in a request beside functions, in their order', () => {
    const tools = [{ name: 'f' }, webSearch({ maxUses: 2 })]
    const { body, losses } = encodeRequest({ messages: [], tools }, { model: 'claude-x', maxTokens: 1 })
    expect(body.tools).toEqual([
      { name: 'f', input_schema: { type: 'object', properties: {} } },
      { type: 'web_search_20250305', name: 'web_search', max_uses: 2 },
    ])
    expect(losses).toEqual([])
  })

  it.each<[string, ProviderTool, string]>([
    ['web search', webSearch({ version: '20250305' }), 'web_search_20250305'],
    ['web search', webSearch({ version: '20260209' }), 'web_search_20260209'],
    ['web search', webSearch({ version: '20260318' }), 'web_search_20260318'],
    ['web fetch', webFetch({ version: '20250910' }), 'web_fetch_20250910'],
    ['web fetch', webFetch({ version: '20260209' }), 'web_fetch_20260209'],
    ['web fetch', webFetch({ version: '20260309' }), 'web_fetch_20260309'],
    ['web fetch', webFetch({ version: '20260318' }), 'web_fetch_20260318'],
    ['code execution', codeExecution({ version: '20250522' }), 'code_execution_20250522'],
    ['code execution', codeExecution({ version: '20250825' }), 'code_execution_20250825'],
    ['code execution', codeExecution({ version: '20260120' }), 'code_execution_20260120'],
    ['code execution', codeExecution({ version: '20260521' }), 'code_execution_20260521'],
  ])('have the selected date: %s', (_, tool, type) => {
    expect(encodeDefinitions([tool])).toMatchObject([{ type }])
  })

  it('search the web with every option of the API', () => {
    const tool = webSearch({
      version: '20260318',
      allowedDomains: ['nature.com'],
      maxUses: 3,
      userLocation: { city: 'Berlin', region: 'Berlin', country: 'DE', timezone: 'Europe/Berlin' },
      responseInclusion: 'excluded',
      allowedCallers: ['direct', 'code_execution_20260120'],
      cacheHint: { ttl: '1h' },
      deferLoading: false,
      strict: true,
    })
    expect(encodeDefinitions([tool])).toEqual([
      {
        type: 'web_search_20260318',
        name: 'web_search',
        allowed_domains: ['nature.com'],
        max_uses: 3,
        user_location: {
          type: 'approximate',
          city: 'Berlin',
          region: 'Berlin',
          country: 'DE',
          timezone: 'Europe/Berlin',
        },
        response_inclusion: 'excluded',
        allowed_callers: ['direct', 'code_execution_20260120'],
        cache_control: { type: 'ephemeral', ttl: '1h' },
        defer_loading: false,
        strict: true,
      },
    ])
  })

  it('fetch pages with every option of the API', () => {
    const tool = webFetch({
      version: '20260318',
      blockedDomains: ['example.com'],
      citations: true,
      maxContentTokens: 5000,
      maxUses: 1,
      urlSources: {
        userInput: 'none',
        clientToolResults: { only: ['find_pages'] },
        serverToolResults: { except: ['web_fetch'] },
      },
      useCache: false,
      responseInclusion: 'full',
    })
    expect(encodeDefinitions([tool])).toEqual([
      {
        type: 'web_fetch_20260318',
        name: 'web_fetch',
        blocked_domains: ['example.com'],
        citations: { enabled: true },
        max_content_tokens: 5000,
        max_uses: 1,
        url_sources: {
          user_input: { type: 'none' },
          client_tool_results: { type: 'only', tools: [{ type: 'tool_reference', name: 'find_pages' }] },
          server_tool_results: { type: 'except', tools: [{ type: 'tool_reference', name: 'web_fetch' }] },
        },
        use_cache: false,
        response_inclusion: 'full',
      },
    ])
  })

  it('name the sources whose addresses may be fetched, if it is all or none', () => {
    const tool = webFetch({ urlSources: { clientToolResults: 'none', serverToolResults: 'all' } })
    expect(tool.value.url_sources).toEqual({
      client_tool_results: { type: 'none' },
      server_tool_results: { type: 'all' },
    })
  })

  it('turn citations off if that is requested', () => {
    expect(webFetch({ citations: false }).value.citations).toEqual({ enabled: false })
  })

  it('end a cached prefix, and count among the four that one request may have', () => {
    const tools = [...Array.from({ length: 4 }, () => codeExecution({ cacheHint: 'ephemeral' })), webSearch()]
    const options = { model: 'claude-x', maxTokens: 1 }
    const { body } = encodeRequest({ messages: [], tools }, options)
    expect(body.tools?.map(({ cache_control }) => cache_control)).toEqual([
      ...Array.from({ length: 4 }, () => ({ type: 'ephemeral' })),
      undefined,
    ])
    const five = encodeRequest({ messages: [], tools: [...tools, webSearch({ cacheHint: 'ephemeral' })] }, options)
    expect(five.body.tools?.filter((tool) => tool.cache_control !== undefined)).toHaveLength(4)
    expect(tools[0]?.value.cache_control).toEqual({ type: 'ephemeral' })
  })

  it('do not change if a list in their options changes later', () => {
    const allowedDomains = ['nature.com']
    const tool = webSearch({ allowedDomains })
    allowedDomains.push('example.com')
    expect(tool.value.allowed_domains).toEqual(['nature.com'])
  })
})
