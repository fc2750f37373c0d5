/** Makes Node find the files of `sources.mjs`. */
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { sources } from './sources.mjs'

registerHooks({
  resolve(specifier, context, next) {
    const source = sources.get(specifier)
    return source === undefined ? next(specifier, context) : { url: pathToFileURL(source).href, shortCircuit: true }
  },
})
