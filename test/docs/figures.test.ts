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

const rows = (path: string) =>
  readDocument(path)
    .split('\n')
    .filter((line) => line.startsWith('| '))
const cellsOf = (row = '') =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

/** The brotli size of a program in the table that the benchmark wrote: `6.1` for 6.1 KiB. */
function measured(program: string): string | undefined {
  if (program === '') return ''
  const row = rows('docs/evidence/performance.md').find((line) => line.startsWith(`| ${program} |`))
  return cellsOf(row)[3]?.replace(' KiB', '')
}

it.each([
  [
    'shows an answer',
    [
      'isoglot, readEvents',
      'ai, readUIMessageStream',
      '@tanstack/ai-client, fetchServerSentEvents',
      'openai, ChatCompletionStream',
      'xsai, streamText',
      '',
    ],
  ],
  ['holds a chat', ['isoglot, chat store', 'ai, Chat', '@tanstack/ai-client, ChatClient', '', '', '']],
  ['holds it with a hook', ['isoglot, useChat', 'ai, useChat', '', '', '', '']],
  [
    'runs tools itself',
    [
      'isoglot, remote with a tool',
      'ai, Chat Completions',
      '@tanstack/ai, Chat Completions',
      'openai, Chat Completions',
      'xsai, Chat Completions',
      '@langchain/openai, Chat Completions',
    ],
  ],
])('README gives a page that %s the sizes that the benchmark measured', (page, programs) => {
  const [, ...said] = cellsOf(rows('README.md').find((line) => line.startsWith(`| ${page}`)))
  expect(said.map((cell) => cell.replace(/ \(.*/, ''))).toEqual(programs.map((program) => measured(program)))
})

it('the page side by side has the figures that the benchmark measured', () => {
  const figures = (path: string, name: string) => cellsOf(rows(path).find((line) => line.startsWith(`| ${name}`)))
  const evidence = (name: string) => figures('docs/evidence/performance.md', name)
  const page = evidence('the page beside React, brotli')
  const withoutZod = evidence('the same without zod')
  const [, ours, aiSdk, tanstack] = figures('docs/migrating.md', 'the page beside React, brotli')
  expect([ours, aiSdk, tanstack]).toEqual([page[1], page[3], `${withoutZod[4]}, without zod`])
  const lines = ['lines of the route', 'lines of the page'].map((name) => evidence(name).slice(1).map(Number))
  const sums = [0, 2, 3].map((at) => Number(lines[0]?.[at]) + Number(lines[1]?.[at]))
  expect(
    figures('docs/migrating.md', 'lines of route and page')
      .slice(1)
      .map((cell) => Number.parseInt(cell, 10)),
  ).toEqual(sums)
})
