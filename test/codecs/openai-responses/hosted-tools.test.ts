/** The tools that OpenAI runs itself: wire §2.2, and the fields of the official client's types. */
import { describe, expect, it } from 'vitest'
import {
  codeInterpreter,
  encodeDefinitions,
  encodeRequest,
  fileSearch,
  imageGeneration,
  mcp,
  webSearch,
} from '../../../src/formats/openai-responses/index.ts'

describe('tools that OpenAI runs', () => {
  it('need few options', () => {
    const tools = [
      webSearch(),
      fileSearch({ vectorStoreIds: ['vs_1'] }),
      codeInterpreter(),
      imageGeneration(),
      mcp({ serverLabel: 'docs', serverUrl: 'https://mcp.example.com' }),
    ]
    expect(encodeDefinitions(tools)).toEqual([
      { type: 'web_search' },
      { type: 'file_search', vector_store_ids: ['vs_1'] },
      { type: 'code_interpreter', container: { type: 'auto' } },
      { type: 'image_generation' },
      { type: 'mcp', server_label: 'docs', server_url: 'https://mcp.example.com' },
    ])
  })

  it('stand in a request beside functions, in their order', () => {
    const tools = [{ name: 'f' }, webSearch()]
    const { body, losses } = encodeRequest({ messages: [], tools }, { model: 'm' })
    expect(body.tools).toEqual([
      { type: 'function', name: 'f', strict: false, parameters: { type: 'object', properties: {} } },
      { type: 'web_search' },
    ])
    expect(losses).toEqual([])
  })

  it('search the web with every option of the API', () => {
    const tool = webSearch({
      allowedDomains: ['nature.com'],
      externalWebAccess: false,
      searchContextSize: 'high',
      userLocation: { city: 'Berlin', region: 'Berlin', country: 'DE', timezone: 'Europe/Berlin' },
      version: '2025_08_26',
    })
    expect(encodeDefinitions([tool])).toEqual([
      {
        type: 'web_search_2025_08_26',
        filters: { allowed_domains: ['nature.com'] },
        external_web_access: false,
        search_context_size: 'high',
        user_location: {
          type: 'approximate',
          city: 'Berlin',
          region: 'Berlin',
          country: 'DE',
          timezone: 'Europe/Berlin',
        },
      },
    ])
  })

  it('search from nowhere in particular, where that is said', () => {
    expect(webSearch({ userLocation: {} }).value).toEqual({
      type: 'web_search',
      user_location: { type: 'approximate' },
    })
  })

  it('search files with every option of the API', () => {
    const tool = fileSearch({
      vectorStoreIds: ['vs_1', 'vs_2'],
      filters: {
        type: 'and',
        filters: [
          { type: 'eq', key: 'language', value: 'de' },
          { type: 'in', key: 'year', value: [2025, 2026] },
        ],
      },
      maxResults: 5,
      ranking: { ranker: 'auto', scoreThreshold: 0, hybridSearch: { embeddingWeight: 0.7, textWeight: 0.3 } },
    })
    expect(encodeDefinitions([tool])).toEqual([
      {
        type: 'file_search',
        vector_store_ids: ['vs_1', 'vs_2'],
        filters: {
          type: 'and',
          filters: [
            { type: 'eq', key: 'language', value: 'de' },
            { type: 'in', key: 'year', value: [2025, 2026] },
          ],
        },
        max_num_results: 5,
        ranking_options: {
          ranker: 'auto',
          score_threshold: 0,
          hybrid_search: { embedding_weight: 0.7, text_weight: 0.3 },
        },
      },
    ])
  })

  it('run code in a container that is there, or in a new one', () => {
    const secret = { domain: 'api.example.com', name: 'KEY', value: 'not-a-key' }
    const container = {
      fileIds: ['file_1'],
      memoryLimit: '4g',
      network: { allowedDomains: ['api.example.com'], domainSecrets: [secret] },
    } as const
    expect(
      encodeDefinitions([
        codeInterpreter({ container: 'cntr_1' }),
        codeInterpreter({ container }),
        codeInterpreter({ container: { network: 'disabled' } }),
      ]),
    ).toEqual([
      { type: 'code_interpreter', container: 'cntr_1' },
      {
        type: 'code_interpreter',
        container: {
          type: 'auto',
          file_ids: ['file_1'],
          memory_limit: '4g',
          network_policy: { type: 'allowlist', allowed_domains: ['api.example.com'], domain_secrets: [secret] },
        },
      },
      { type: 'code_interpreter', container: { type: 'auto', network_policy: { type: 'disabled' } } },
    ])
  })

  it('draw with every option of the API', () => {
    const tool = imageGeneration({
      action: 'edit',
      background: 'transparent',
      complexity: 'low',
      frameCount: 4,
      frameDurationMs: 100,
      inputFidelity: 'high',
      mask: { fileId: 'file_1' },
      model: 'gpt-image-1.5',
      moderation: 'low',
      outputCompression: 80,
      outputFormat: 'webp',
      partialImages: 0,
      quality: 'medium',
      size: '1024x1536',
      svg: { model: 'gpt-5', reasoningEffort: 'low' },
    })
    expect(encodeDefinitions([tool])).toEqual([
      {
        type: 'image_generation',
        action: 'edit',
        background: 'transparent',
        complexity: 'low',
        frame_count: 4,
        frame_duration_ms: 100,
        input_fidelity: 'high',
        input_image_mask: { file_id: 'file_1' },
        model: 'gpt-image-1.5',
        moderation: 'low',
        output_compression: 80,
        output_format: 'webp',
        partial_images: 0,
        quality: 'medium',
        size: '1024x1536',
        svg: { model: 'gpt-5', reasoning: { effort: 'low' } },
      },
    ])
  })

  it('call an MCP server with every option of the API', () => {
    const tool = mcp({
      serverLabel: 'docs',
      tunnelId: 'tunnel_1',
      serverDescription: 'Our documents',
      allowedTools: ['search'],
      authorization: 'not-a-token',
      headers: { 'x-team': 'a' },
      requireApproval: 'never',
      allowedCallers: ['direct'],
      deferLoading: true,
    })
    expect(encodeDefinitions([tool])).toEqual([
      {
        type: 'mcp',
        server_label: 'docs',
        tunnel_id: 'tunnel_1',
        server_description: 'Our documents',
        allowed_tools: ['search'],
        authorization: 'not-a-token',
        headers: { 'x-team': 'a' },
        require_approval: 'never',
        allowed_callers: ['direct'],
        defer_loading: true,
      },
    ])
  })

  it('select tools of an MCP server by their effects, and by name', () => {
    const { value } = mcp({
      serverLabel: 'docs',
      serverUrl: 'https://mcp.example.com',
      allowedTools: { readOnly: true },
      requireApproval: { always: { toolNames: ['delete'] }, never: { readOnly: true, toolNames: ['search'] } },
    })
    expect(value).toEqual({
      type: 'mcp',
      server_label: 'docs',
      server_url: 'https://mcp.example.com',
      allowed_tools: { read_only: true },
      require_approval: { always: { tool_names: ['delete'] }, never: { read_only: true, tool_names: ['search'] } },
    })
  })

  it('allow none of the tools of a server whose list is empty', () => {
    const { value } = mcp({ serverLabel: 'docs', serverUrl: 'https://mcp.example.com', allowedTools: [] })
    expect(value.allowed_tools).toEqual([])
  })

  it('do not change when a list that they were made with does', () => {
    const vectorStoreIds = ['vs_1']
    const tool = fileSearch({ vectorStoreIds })
    vectorStoreIds.push('vs_2')
    expect(tool.value.vector_store_ids).toEqual(['vs_1'])
  })
})
