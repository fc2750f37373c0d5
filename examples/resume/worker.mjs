/**
 * A Worker for the example: the one of `npm start`, with the embedded provider, or with the real providers if `.dev.vars` has their keys.
 */
import { randomBytes } from 'node:crypto'
import { chooseProvider } from '../../scripts/choose-provider.mjs'
import { freePort, startWorker } from '../../scripts/worker.mjs'

/** Call `stop` at the end. */
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

/** A token, like the one of a page: it replaces the key, and is valid for some minutes. */
async function mint(origin) {
  const headers = { origin, 'content-type': 'application/json' }
  const response = await fetch(`${origin}/session`, { method: 'POST', headers, body: '{}' })
  return (await response.json()).token
}
