/** The tools that Google runs itself: wire §2.2, and the fields of the official client's types. */
import { describe, expect, it } from 'vitest'
import { codeExecution, encodeDefinitions, googleSearch, urlContext } from '../../../src/formats/gemini/index.ts'

describe('tools that Google runs', () => {
  it('need no options', () => {
    expect(encodeDefinitions([googleSearch(), codeExecution(), urlContext()])).toEqual([
      { googleSearch: {} },
      { codeExecution: {} },
      { urlContext: {} },
    ])
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
})
