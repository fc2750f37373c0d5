/** The sizes that README names are those that the budgets hold the build to, and those that the benchmark measured. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readDocument, root } from './blocks.ts'

const budgets: Readonly<Record<string, number>> = JSON.parse(readFileSync(join(root, 'scripts', 'sizes.json'), 'utf8'))

it.each([
  [/(\d+) KiB \(brotli\) through/, 'a tool, behind a server'],
  [/at most (\d+) KiB with one format/, 'gemini'],
  [/(\d+) KiB with\s+Ollama/, 'ollama'],
  [/(\d+) KiB with\s+OpenAI, Anthropic and Gemini/, 'openai-chat + anthropic + gemini'],
])('README names a size (%s) that the budget of %s keeps to', (figure, name) => {
  const said = Number(figure.exec(readDocument('README.md'))?.[1])
  expect(budgets[name]).toBeLessThanOrEqual(said * 1024)
})

it.each([
  ['isoglot', 'isoglot, Chat Completions'],
  ['`ai`', 'ai, Chat Completions'],
  ['LangChain JS', '@langchain/openai, Chat Completions'],
  ['TanStack AI', '@tanstack/ai, Chat Completions'],
  ['`openai`', 'openai, Chat Completions'],
  ['xsAI', 'xsai, Chat Completions'],
])('README gives %s the size that the benchmark measured for "%s"', (library, program) => {
  const row = readDocument('README.md')
    .split('\n')
    .find((line) => line.replace('[', '').startsWith(`| ${library}`))
  const measured = readDocument('docs/evidence/performance.md')
    .split('\n')
    .find((line) => line.startsWith(`| ${program} |`))
  const said = row?.split('|')[2]?.trim()
  const gzip = Number.parseFloat(measured?.split('|')[3] ?? '')
  expect([`${Math.round(gzip)} KiB`, `${gzip} KiB`]).toContain(said)
})
