/** The page: a chat that asks the route. It has no key, no prompt and no code of a provider. */
import { fetchTransport } from 'isoglot/chat'
import { createRoot } from 'react-dom/client'
import { Chat } from './Chat.tsx'

const transport = fetchTransport({ url: '/api/chat' })
createRoot(document.getElementById('app') as HTMLElement).render(<Chat transport={transport} />)
