/** What Next.js does by itself: `npm run example recipes/next`. */
import { createRoot } from 'react-dom/client'
import Page from './page.jsx'

createRoot(document.getElementById('app')).render(<Page />)
