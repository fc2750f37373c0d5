/** A Worker to try the example with: the one of `npm start`, in front of the embedded provider, or of those whose keys `.dev.vars` has. */
import { randomBytes } from 'node:crypto'
import { chooseProvider } from '../../scripts/choose-provider.mjs'
import { freePort, startWorker } from '../../scripts/worker.mjs'

/** Call `stop` when you are done with it. */
export async function startDemo() {
  const provider = await chooseProvider()
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const settings = {
    SESSION_SECRET: randomBytes(32).toString('base64url'),
    ALLOWED_ORIGINS: origin,
    DEMO: 'loopback',
    ...provider.settings,
  }
  try {
    const worker = await startWorker({ port, envFiles: provider.envFiles, settings })
    return {
      url: worker.url,
      token: await mint(origin),
      stop: async () => {
        await worker.stop()
        await provider.stop()
      },
    }
  } catch (cause) {
    await provider.stop()
    throw cause
  }
}

/** As a page asks for it: in place of a key, and for minutes. */
async function mint(origin) {
  const headers = { origin, 'content-type': 'application/json' }
  const response = await fetch(`${origin}/session`, { method: 'POST', headers, body: '{}' })
  return (await response.json()).token
}
