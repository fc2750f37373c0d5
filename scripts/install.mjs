/** Installs the packages of the lock file, if they are missing. Install scripts stay off, because none of our packages needs one. */
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
  // Not `npm ci`: the lock file names optional packages for other platforms, and some registries do not have them.
  execFileSync('npm', ['install', '--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
}

/** Whether each direct dependency has the pinned version. Under another name, the version is like `npm:typescript@7.0.2`. */
function hasAll() {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.entries({ ...dependencies, ...devDependencies }).every(([name, pinned]) => {
    const file = join(root, 'node_modules', name, 'package.json')
    const version = pinned.replace(/^npm:.*@/, '')
    return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version === version
  })
}
