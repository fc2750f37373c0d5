/** Copies of the repository, in which tests run what changes files. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')

/** Copies these files and folders, without what git ignores: other tests make and remove such files meanwhile. */
export function copyRepository(to: string, names: readonly string[]): void {
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...names]
  for (const name of execFileSync('git', listed, { cwd: root, encoding: 'utf8' }).split('\0'))
    if (name !== '' && existsSync(join(root, name))) cpSync(join(root, name), join(to, name))
}
