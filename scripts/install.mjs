/** Installs what the lock file names, if it is not there yet. Install scripts stay off: nothing of ours needs one. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

export function install() {
  const mark = join(root, 'node_modules', '.package-lock.json')
  const lock = join(root, 'package-lock.json')
  const isFresh = existsSync(mark) && statSync(mark).mtimeMs >= statSync(lock).mtimeMs && hasAll()
  if (isFresh) return
  console.log('Installing packages …')
  // Not `npm ci`: the lock names optional builds for other platforms that some registries do not have.
  execFileSync('npm', ['install', '--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
}

/** Whether each direct dependency is there in the version that we pin, which under another name is `npm:typescript@7.0.2`. */
function hasAll() {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.entries({ ...dependencies, ...devDependencies }).every(([name, pinned]) => {
    const file = join(root, 'node_modules', name, 'package.json')
    const version = pinned.replace(/^npm:.*@/, '')
    return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version === version
  })
}
