/** Serves the page, and the route at `/api/chat`: by `npm start`, and after `npm run build` by `npm run preview`. */
import react from '@vitejs/plugin-react'
import { respond } from './respond.mjs'
import { POST } from './route.ts'

const serve = ({ middlewares }) => {
  middlewares.use('/api/chat', (incoming, outgoing) => respond(POST, incoming, outgoing))
}

export default {
  plugins: [react(), { name: 'route', configureServer: serve, configurePreviewServer: serve }],
}
