/** The tools that Google runs itself: wire §2.2, and the fields of the official client's types. */
import { describe, expect, it } from 'vitest'
import {
  codeExecution,
  encodeDefinitions,
  encodeRequest,
  googleSearch,
  urlContext,
} from '../../../src/formats/gemini/index.ts'

describe('tools that Google runs', () => {
  it('need no options', () => {
    expect(encodeDefinitions([googleSearch(), codeExecution(), urlContext()])).toEqual([
      { googleSearch: {} },
      { codeExecution: {} },
      { urlContext: {} },
    ])
  })

  it('stand in a request, each in an entry of its own', () => {
    const tools = [{ name: 'f' }, googleSearch()]
    const { body, losses } = encodeRequest({ messages: [], tools }, { model: 'gemini-3-pro-preview' })
    expect(body.tools).toEqual([{ functionDeclarations: [{ name: 'f' }] }, { googleSearch: {} }])
    expect(losses).toEqual([])
  })

  it('search with every option of the API', () => {
    const tool = googleSearch({
      blockedDomains: ['example.com'],
      blockingConfidence: 'BLOCK_HIGH_AND_ABOVE',
      searchTypes: ['web', 'image'],
      timeRange: { start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' },
    })
    expect(encodeDefinitions([tool])).toEqual([
      {
        googleSearch: {
          excludeDomains: ['example.com'],
          blockingConfidence: 'BLOCK_HIGH_AND_ABOVE',
          searchTypes: { webSearch: {}, imageSearch: {} },
          timeRangeFilter: { startTime: '2026-01-01T00:00:00Z', endTime: '2026-02-01T00:00:00Z' },
        },
      },
    ])
  })

  it('search only for the requested types', () => {
    expect(googleSearch({ searchTypes: ['image'] }).value.googleSearch.searchTypes).toEqual({ imageSearch: {} })
    expect(googleSearch({ searchTypes: ['web'] }).value.googleSearch.searchTypes).toEqual({ webSearch: {} })
  })

  it('do not change when a list that they were made with does', () => {
    const blockedDomains = ['example.com']
    const tool = googleSearch({ blockedDomains })
    blockedDomains.push('example.org')
    expect(tool.value.googleSearch.excludeDomains).toEqual(['example.com'])
  })
})
