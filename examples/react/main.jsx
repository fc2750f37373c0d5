/** The component on a page whose server keeps the key: `npm run example react`. */
import { modelTransport } from 'isoglot/chat-model'
import { openaiChat } from 'isoglot/openai-chat'
import { createRoot } from 'react-dom/client'
import { weather } from '../page/weather.mjs'
import { Chat } from './Chat.tsx'

const model = openaiChat('gpt-5-mini', { baseUrl: `${location.origin}/v1` })
const transport = modelTransport({ model, tools: [weather] })
createRoot(document.getElementById('app')).render(<Chat transport={transport} />)
