/** The component on a page whose server keeps the key: `npm run example svelte`. */
import { modelTransport } from 'isoglot/chat-model'
import { openaiChat } from 'isoglot/openai-chat'
import { mount } from 'svelte'
import { weather } from '../page/weather.mjs'
import Chat from './Chat.svelte'

const model = openaiChat('gpt-5-mini', { baseUrl: `${location.origin}/v1` })
const transport = modelTransport({ model, tools: [weather] })
mount(Chat, { target: document.getElementById('app'), props: { transport } })
