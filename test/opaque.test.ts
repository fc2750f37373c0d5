import { describe, expect, it } from 'vitest'
import { modelFamily, ownProof, withAskedModel } from '../src/core/content.ts'
import type { AssistantMessage, Opaque } from '../src/core/messages.ts'

describe('the family of a model', () => {
  it.each([
    ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
    ['anthropic/claude-sonnet-4-5', 'claude-sonnet-4-5'],
    ['gpt-5.6-2026-08-07', 'gpt-5.6'],
    ['gemini-3-pro-preview', 'gemini-3-pro'],
    ['claude-opus-4-5@20251101', 'claude-opus-4-5'],
    ['Claude-Haiku-4-5-latest', 'claude-haiku-4-5'],
  ])('%s is of the family %s', (model, family) => expect(modelFamily(model)).toBe(family))

  it.each([
    ['claude-sonnet-4-5', 'claude-opus-4-5'],
    ['gpt-5.5', 'gpt-5.6'],
    ['gemini-2.5-pro', 'gemini-3-pro'],
  ])('%s and %s are different families', (one, other) => expect(modelFamily(one)).not.toBe(modelFamily(other)))
})

describe('a proof', () => {
  const opaque: Opaque = {
    provider: 'anthropic',
    model: 'claude-sonnet-4-5-20250929',
    format: 'anthropic',
    data: { signature: 'x' },
  }
  const target = { format: 'anthropic', provider: 'anthropic', model: 'claude-sonnet-4-5' }

  it('goes back to its own wire, provider and family', () => expect(ownProof(opaque, target)).toBe(opaque.data))
  it.each([{ format: 'openai-chat' }, { provider: 'bedrock' }, { model: 'claude-opus-4-5' }])(
    'goes nowhere else: %o',
    (other) => expect(ownProof(opaque, { ...target, ...other })).toBeUndefined(),
  )
  it('of a deployment counts under the name by which that was asked for', () => {
    const message: AssistantMessage = {
      role: 'assistant',
      content: [{ type: 'reasoning', text: '', opaque: { ...opaque, model: 'gpt-5.6' } }],
      response: { model: 'gpt-5.6' },
    }
    expect(withAskedModel(message, 'my-deployment').content).toMatchObject([{ opaque: { model: 'my-deployment' } }])
    expect(withAskedModel(message, 'gpt-5.6-2026-08-07')).toBe(message)
  })
})
