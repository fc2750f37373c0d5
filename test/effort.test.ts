import { describe, expect, it } from 'vitest'
import { encodeRequest as encodeChat } from '../src/formats/openai-chat/index.ts'
import { encodeRequest as encodeResponses } from '../src/formats/openai-responses/index.ts'
import { nearestEffort } from '../src/formats/shared/effort.ts'

describe('a budget of tokens, where a wire has only efforts', () => {
  it.each([
    [0, 'none'],
    [1, 'minimal'], // to think a little is not to think not at all
    [1536, 'minimal'],
    [1537, 'low'],
    [8192, 'medium'],
    [20_481, 'xhigh'],
    [1_000_000, 'max'],
  ])('of %i is %s, the nearest', (tokens, effort) => {
    expect(nearestEffort(tokens)).toBe(effort)
  })

  it.each([500, 2049, 5000, 13_000])('of %i is the same word on every wire', (budgetTokens) => {
    const context = { messages: [{ role: 'user', content: 'Hi' }] } as const
    const options = { model: 'gpt-5', reasoning: { budgetTokens } }
    const effort = nearestEffort(budgetTokens)
    expect(encodeChat(context, options).body).toMatchObject({ reasoning_effort: effort })
    expect(encodeResponses(context, options).body).toMatchObject({ reasoning: { effort } })
  })
})
