/** Installs the packages of the lock file, if they are missing. Install scripts stay off, because none of our packages needs one. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

export function install() {
  const mark = join(root, 'node_modules', '.package-lock.json')
  const lock = join(root, 'package-lock.json')
  const isFresh = existsSync(mark) && statSync(mark).mtimeMs >= statSync(lock).mtimeMs && hasAll(root)
  if (isFresh) return
  console.log('Installing packages …')
  // Not `npm ci`: the lock file names optional packages for other platforms, and some registries do not have them.
  execFileSync('npm', ['install', '--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
}

/** Installs the packages of a folder with a lock file, if a pinned version is missing. Prints to stderr: some programs print a result. */
export function installAll(folder) {
  if (hasAll(folder)) return
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder]
  execFileSync('npm', ['ci', ...options], { stdio: ['ignore', 2, 2] })
}

/** Whether each direct dependency of a folder has the pinned version. Under another name, the version is like `npm:typescript@7.0.2`. */
export function hasAll(folder) {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return Object.entries({ ...dependencies, ...devDependencies }).every(([name, pinned]) => {
    const file = join(folder, 'node_modules', name, 'package.json')
    return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version === pinned.replace(/^npm:.*@/, '')
  })
}
