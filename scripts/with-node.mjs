/**
 * Runs one of the project's tools (`node scripts/with-node.mjs tsup …`) under a Node new enough for it: this one from 22.12 on, else one from npm.
 * A first word that ends in `.mjs` is a script of ours, and one with a `/` else a file of a package.
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
