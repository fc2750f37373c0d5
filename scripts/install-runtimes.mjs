/** Installs the runtimes that npm has (Linux on x64): Node in four versions, Deno, Bun. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

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

/** Installs the packages of a folder with a lock file, if a pinned version is missing. */
export function installAll(under) {
  if (hasAll(under)) return
  execFileSync('npm', ['ci', '--ignore-scripts', '--loglevel=error', '--prefix', under], { stdio: 'inherit' })
}

/** Whether a folder has its packages, each in the pinned version. */
export function hasAll(under) {
  const { dependencies } = JSON.parse(readFileSync(join(under, 'package.json'), 'utf8'))
  return Object.entries(dependencies).every(([name, version]) => {
    const file = join(under, 'node_modules', name, 'package.json')
    return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version === version.split('@').at(-1)
  })
}
