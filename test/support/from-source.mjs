/** Lets a program that imports the package run on its source: `node --import` this. */
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { publicPaths } from '../../scripts/built-files.mjs'

const root = new URL('../../', import.meta.url)
const paths = publicPaths(fileURLToPath(root))

registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== 'isoglot' && !specifier.startsWith('isoglot/')) return next(specifier, context)
    const path = paths[specifier === 'isoglot' ? 'index' : specifier.slice('isoglot/'.length)]
    return { url: new URL(path, root).href, format: 'module-typescript', shortCircuit: true }
  },
})
