/**
 * Preloaded into wrangler by `worker.mjs`: when the channel to its parent closes (by `stop`, a crash or a SIGKILL), wrangler ends its
 * workerd processes and esbuild, waits for their end, and removes the folder with its settings.
 *
 * Without this, wrangler restarts a workerd that was killed, and does not wait for its children after a SIGTERM.
 */
import childProcess from 'node:child_process'
import { rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const children = new Set()
const { spawn } = childProcess

childProcess.spawn = (...args) => {
  const child = spawn(...args)
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}
syncBuiltinESMExports()

function end(child) {
  return new Promise((resolve) => {
    child.removeAllListeners()
    child.once('exit', resolve).once('error', resolve)
    child.kill('SIGKILL')
  })
}

process.once('disconnect', async () => {
  await Promise.all([...children].map(end))
  rmSync(process.env.ISOGLOT_WORKER_HOME, { recursive: true, force: true })
  process.exit()
})
