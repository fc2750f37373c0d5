/** Installs the runtimes that npm has (Linux on x64): Node in four versions, Deno, Bun. */
import { join } from 'node:path'
import { installAll } from './install.mjs'

const installed = join(import.meta.dirname, 'runtimes', 'node_modules')
export const denoFile = join(installed, 'deno', 'deno')
export const bunFile = join(installed, 'bun', 'bin', 'bun')

/** The folder of a Node with this major version. */
export function nodeFile(major) {
  const folder = major === 24 ? join(import.meta.dirname, 'node', 'node_modules') : installed
  return join(folder, `node${major}`, 'bin', 'node')
}

/** Installs the runtimes of each folder, if the pinned version is missing. */
export function installRuntimes() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return
  for (const name of ['node', 'runtimes']) {
    try {
      installAll(join(import.meta.dirname, name))
    } catch {
      console.log(`Cannot install the runtimes of scripts/${name}`)
    }
  }
}
