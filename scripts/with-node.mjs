/**
 * Runs one of the project's tools (`node scripts/with-node.mjs tsup …`) with Node 22.12 or later: the current Node if it is new enough,
 * otherwise one from npm. If the first argument ends in `.mjs`, it is a script of this repository. Otherwise, if it has a `/`, it is a file
 * of a package.
 */
import { spawn } from 'node:child_process'
import { delimiter, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { modernNode } from './modern-node.mjs'

export function withNode(tool, args, options = {}) {
  const node = modernNode()
  const root = join(import.meta.dirname, '..')
  const file = tool.endsWith('.mjs')
    ? join(root, tool)
    : join(root, 'node_modules', tool.includes('/') ? '' : '.bin', tool)
  const env = { ...process.env, ...options.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` }
  return spawn(node, [file, ...args], { stdio: 'inherit', cwd: root, ...options, env })
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [tool, ...args] = process.argv.slice(2)
  withNode(tool, args).on('exit', (code, signal) => {
    process.exitCode = code ?? (signal ? 1 : 0)
  })
}
