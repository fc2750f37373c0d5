/** The entry that Next.js makes by itself: `npm run example recipes/next`. */
import { createRoot } from 'react-dom/client'
import Page from './page.jsx'

createRoot(document.getElementById('app')).render(<Page />)
