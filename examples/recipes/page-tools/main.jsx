/** The page: it runs two tools, and the model goes on with their results. `npm run example recipes/page-tools`, then say "dark, please". */
import { tool } from 'isoglot'
import { fetchTransport } from 'isoglot/chat'
import { createRoot } from 'react-dom/client'
import { Chat } from '../../react/Chat.tsx'
import { localWeather, setTheme } from './tools.ts'

const tools = [
  tool({
    ...setTheme,
    execute({ dark }) {
      document.documentElement.style.colorScheme = dark ? 'dark' : 'light'
      return `The page is ${dark ? 'dark' : 'light'} now`
    },
  }),
  tool({ ...localWeather, execute: ({ city }) => `25 °C and sunny in ${city}` }),
]
createRoot(document.getElementById('app')).render(<Chat transport={fetchTransport()} tools={tools} />)
