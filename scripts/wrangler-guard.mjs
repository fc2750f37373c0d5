/**
 * Preloaded into wrangler by `worker.mjs`: when the channel to its parent closes (by `stop`, a crash or a SIGKILL), wrangler ends its
 * workerds and esbuild, sees them off, and removes the folder with its settings.
 *
 * Wrangler itself restarts a workerd that is killed, and at SIGTERM leaves the dead ones to process 1.
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
