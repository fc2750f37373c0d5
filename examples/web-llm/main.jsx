/** The component on a model that runs in the page, by WebLLM: `npm run example web-llm`. It needs WebGPU, and loads a gigabyte once. */
import { modelTransport } from 'isoglot/chat-model'
import { createRoot } from 'react-dom/client'
import { Chat } from '../react/Chat.tsx'
import { webLlm } from './web-llm.mjs'

const id = 'Llama-3.2-1B-Instruct-q4f16_1-MLC'
const app = document.getElementById('app')
app.textContent = 'Loading …'
try {
  const { CreateMLCEngine } = await import('https://esm.run/@mlc-ai/web-llm@0.2.86')
  const engine = await CreateMLCEngine(id, { initProgressCallback: ({ text }) => (app.textContent = text) })
  createRoot(app).render(<Chat transport={modelTransport({ model: webLlm(engine, id) })} />)
} catch (error) {
  app.textContent = `The model cannot run here: ${error.message}`
}
