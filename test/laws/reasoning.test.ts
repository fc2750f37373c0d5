/** The losses of the reasoning option: each change is reported once, at a field that the caller set. */
import { describe, expect, it } from 'vitest'
import type { RequestOptions } from '../../src/core/messages.ts'
import { effortBudgets, efforts } from '../../src/formats/shared/effort.ts'
import { targets } from '../handoff/matrix.ts'

/** Models of each kind that a target tells apart. Default: one that reasons. */
const models: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['claude-sonnet-5', 'claude-sonnet-4-6', 'claude-sonnet-4-5', 'claude-3-5-haiku-latest'],
  bedrock: [
    'us.anthropic.claude-haiku-4-5-20251001-v1:0',
    'us.anthropic.claude-sonnet-4-6',
    ...['us.amazon.nova-2-lite-v1:0', 'openai.gpt-oss-120b-1:0', 'qwen.qwen3-32b-v1:0', 'amazon.nova-lite-v1:0'],
  ],
  cohere: ['command-a-reasoning-08-2025', 'command-a-03-2025'],
  gemini: ['gemini-3-flash', 'gemini-2.5-flash', 'gemini-2.5-pro'],
  groq: ['openai/gpt-oss-120b', 'qwen/qwen3-32b'],
  ollama: ['qwen3:8b', 'gpt-oss:20b'],
  vllm: ['openai/gpt-oss-20b', 'Qwen/Qwen3-8B'],
  xai: ['grok-4', 'grok-4.3', 'grok-4.5'],
}

type Reasoning = NonNullable<RequestOptions['reasoning']>
const budgets = [0, 1, 1024, 5000, 24_576, 1_000_000]
const asked: readonly Reasoning[] = [
  ...efforts.map((effort) => ({ effort })),
  ...budgets.map((budgetTokens) => ({ budgetTokens })),
  { effort: 'none', budgetTokens: 0 },
  { effort: 'high', budgetTokens: 2000 },
  { effort: 'minimal', budgetTokens: 100_000 },
]

/** Whether the body has each value that was asked for: an effort as its word or its tokens, and no reasoning in any form. */
function says(body: string, { effort, budgetTokens }: Reasoning): boolean {
  const has = (value: string | number) => new RegExp(`\\b${value}\\b`, 'i').test(body)
  const isEffortSaid = effort === undefined || effort === 'none' || has(effort) || has(effortBudgets[effort])
  return isEffortSaid && (!budgetTokens || has(budgetTokens))
}

describe.each(targets)('$name', ({ client }) => {
  it.each(models[client.provider] ?? ['gpt-5.6'])('%s', (model) => {
    const found = asked.flatMap((reasoning) => {
      const context = { messages: [{ role: 'user' as const, content: 'Hi' }] }
      const options = { model, reasoning, maxTokens: 40_000, strict: false }
      const { body, losses } = client.encodeRequest(context, options)
      const paths = losses.map(({ path }) => path)
      const allowed = ['options.reasoning', ...Object.keys(reasoning).map((name) => `options.reasoning.${name}`)]
      const isRepeated = new Set(paths).size < paths.length
      const isSilent = paths.length === 0 && !says(JSON.stringify(body), reasoning)
      return isSilent || isRepeated || paths.some((path) => !allowed.includes(path)) ? [{ reasoning, paths }] : []
    })
    expect(found).toEqual([])
  })
})
