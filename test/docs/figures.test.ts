/** The sizes that README names are those that the budgets hold the build to. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readDocument, root } from './blocks.ts'

const budgets: Readonly<Record<string, number>> = JSON.parse(readFileSync(join(root, 'scripts', 'sizes.json'), 'utf8'))

it.each([
  [/at most (\d+) KiB \(brotli\)/, 'gemini'],
  [/(\d+) KiB with\s+Ollama/, 'ollama'],
  [/(\d+) KiB with\s+OpenAI, Anthropic and Gemini/, 'openai-chat + anthropic + gemini'],
])('README names a size (%s) that the budget of %s keeps to', (figure, name) => {
  const said = Number(figure.exec(readDocument('README.md'))?.[1])
  expect(budgets[name]).toBeLessThanOrEqual(said * 1024)
})
