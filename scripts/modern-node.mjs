/** The path of a Node 22.12 or later: the current one, or one that is installed separately from the npm registry (Linux x64). */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const [major, minor] = process.versions.node.split('.').map(Number)
const isModern = major > 22 || (major === 22 && minor >= 12)

export function modernNode() {
  if (isModern) return process.execPath
  const folder = join(import.meta.dirname, 'node')
  const node = join(folder, 'node_modules', 'node24', 'bin', 'node')
  if (!existsSync(node)) {
    if (process.platform !== 'linux' || process.arch !== 'x64') {
      throw new Error(`Cannot run the tools on Node ${process.versions.node}: install Node 22.12 or later`)
    }
    execFileSync('npm', ['ci', '--ignore-scripts', '--silent', '--prefix', folder], { stdio: 'inherit' })
  }
  return node
}
