import { build } from 'esbuild'
import { brotliCompressSync } from 'node:zlib'
import { transform } from 'esbuild'
const root = process.cwd()
const programs = {
 'remote text': `import { stream } from './src/index.ts'
import { remote } from './src/remote/index.ts'
const run = stream({ model: remote('openai:m', { url: '/answer' }), prompt: 'Weather in Tokyo?' })
for await (const event of run) if (event.type === 'text_delta') document.body.append(event.text)
document.title = (await run.response).stopReason`,
 'remote tool': `import { stream, t, tool } from './src/index.ts'
import { remote } from './src/remote/index.ts'
const weather = tool({ name: 'get_weather', description: 'W', parameters: t.object({ city: t.string() }), execute: ({ city }) => 'sunny in ' + city })
const run = stream({ model: remote('openai:m', { url: '/answer' }), prompt: 'Weather in Tokyo?', tools: [weather] })
for await (const event of run) if (event.type === 'text_delta') document.body.append(event.text)
document.title = (await run.response).stopReason`,
 'direct text': `import { stream } from './src/index.ts'
import { openaiChat } from './src/formats/openai-chat/index.ts'
const run = stream({ model: openaiChat('m', { apiKey: document.cookie }), prompt: 'Weather in Tokyo?' })
for await (const event of run) if (event.type === 'text_delta') document.body.append(event.text)
document.title = (await run.response).stopReason`,
 'direct tool': `import { stream, t, tool } from './src/index.ts'
import { openaiChat } from './src/formats/openai-chat/index.ts'
const weather = tool({ name: 'get_weather', description: 'W', parameters: t.object({ city: t.string() }), execute: ({ city }) => 'sunny in ' + city })
const run = stream({ model: openaiChat('m', { apiKey: document.cookie }), prompt: 'Weather in Tokyo?', tools: [weather] })
for await (const event of run) if (event.type === 'text_delta') document.body.append(event.text)
document.title = (await run.response).stopReason`,
}
const only = process.argv[2]
for (const [name, contents] of Object.entries(programs)) {
  if (only && !name.includes(only)) continue
  const r = await build({ stdin: { contents, resolveDir: root, loader: 'ts' }, bundle: true, minify: true, format: 'esm', write: false, metafile: true, target: 'es2022', logLevel: 'silent', conditions: process.env.COND ? [process.env.COND] : [] })
  const text = r.outputFiles[0].contents
  console.log(name, text.length, brotliCompressSync(text).length)
  if (process.argv[3]) {
    const [out] = Object.values(r.metafile.outputs)
    for (const [f, { bytesInOutput }] of Object.entries(out.inputs).sort((a, b) => b[1].bytesInOutput - a[1].bytesInOutput)) if (bytesInOutput > 0) console.log('   ', bytesInOutput, f)
  }
}
