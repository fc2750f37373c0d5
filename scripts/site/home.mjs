/** The start page: a sentence, the line that installs isoglot, an example for four providers, three measured figures, the playground. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { read, repositoryUrl, root } from './pages.mjs'

const models = {
  OpenAI: ['openaiResponses', 'openai-responses', "'gpt-5.6', { apiKey }"],
  Anthropic: ['anthropic', 'anthropic', "'claude-sonnet-5', { apiKey }"],
  Gemini: ['gemini', 'gemini', "'gemini-3-flash-preview', { apiKey }"],
  Ollama: ['ollama', 'ollama', "'qwen3:8b'"],
}

/** The same program for each provider. A test compiles them. */
export const examples = Object.entries(models).map(([name, [make, path, settings]]) => ({
  name,
  code: `import { stream, t, tool } from 'isoglot'
import { ${make} } from 'isoglot/${path}'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: t.object({ city: t.string() }),
  execute: ({ city }) => \`25 °C and sunny in \${city}\`,
})

const run = stream({
  model: ${make}(${settings}),
  prompt: 'Weather in Tokyo?',
  tools: [weather],
})
for await (const text of run.text()) console.log(text)
`,
}))

/** The cells of a row of a table with measurements. */
function cells(file, row) {
  const line = read(file)
    .split('\n')
    .find((text) => text.startsWith(`| ${row} |`))
  if (line === undefined) throw new Error(`Cannot make the start page: ${file} has no row "${row}"`)
  return line
    .split('|')
    .map((cell) => cell.trim())
    .slice(2)
}

function figures() {
  const [ours, , ai] = cells('docs/evidence/performance.md', 'the page beside React, brotli')
  const [, , aiWithoutZod] = cells('docs/evidence/performance.md', 'the same without zod')
  const [cut] = cells('docs/evidence/reliability.md', 'cut answers that looked complete')
  const providers = readdirSync(join(root, 'docs', 'providers')).length
  const formats = readdirSync(join(root, 'src', 'formats')).filter((name) => name !== 'shared').length
  return [
    [
      ours,
      `is what a React page with a chat and a tool adds. With \`ai\` it is ${ai}, or ${aiWithoutZod} without zod.`,
      'evidence/performance.md#pages',
    ],
    [
      cut,
      'cut streams looked complete. A stream that breaks ends with an error, and no tool runs on half a call.',
      'evidence/reliability.md',
    ],
    [
      `${providers}`,
      `APIs of providers, servers and clouds in ${formats} wire formats, each with a page on what it accepts.`,
      'guides.md#providers',
    ],
  ]
}

export const title = 'One message model, every model API'
export const sentence =
  'A TypeScript SDK that calls OpenAI, Anthropic, Google and twenty other providers from web pages, Cloudflare Workers, Deno, Bun and Node.'

export const home = () => `---
layout: home
title: isoglot
titleTemplate: ${title}
---

<div class="start">
<div>

# ${title}

${sentence}

\`\`\`sh
npm install isoglot
\`\`\`

<p class="buttons"><a class="first" href="./start">Get started</a><a href="./guides">Docs</a><a href="./playground/" target="_self">Playground</a><a href="${repositoryUrl ?? './contributing#where-things-live'}">Source</a></p>

</div>
<div>

::: code-group

${examples.map(({ name, code }) => `\`\`\`ts [${name}]\n${code}\`\`\``).join('\n\n')}

:::

</div>
</div>

<div class="figures">
${figures()
  .map(([figure, text, link]) => `\n[**${figure}** ${text}](${link})\n`)
  .join('')}
</div>

## Try it here

Recorded streams answer this chat, so it needs no key. *Wire* shows the request in each format, *Stream* an answer frame by frame, *Hand-off* what another provider gets.

<iframe class="playground" src="./playground/" title="The playground" loading="lazy"></iframe>
`
