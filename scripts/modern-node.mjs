/** The path of a Node 22.12 or later: the current one, or one that is installed separately from the npm registry (Linux x64). */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { installAll } from './install.mjs'
import { nodeFile } from './install-runtimes.mjs'

const [major, minor] = process.versions.node.split('.').map(Number)
const isModern = major > 22 || (major === 22 && minor >= 12)

export function modernNode() {
  if (isModern) return process.execPath
  const node = nodeFile(24)
  if (!existsSync(node)) {
    if (process.platform !== 'linux' || process.arch !== 'x64') {
      throw new Error(`Cannot run the tools on Node ${process.versions.node}: install Node 22.12 or later`)
    }
    installAll(join(import.meta.dirname, 'node'))
  }
  return node
}
