/** Lets a program that imports the package run on its source: `node --import` this. */
import { registerHooks } from 'node:module'

const src = new URL('../../src/', import.meta.url)
/** Public paths that are files of their own. */
const files = {
  isoglot: 'index.ts',
  'isoglot/models': 'models.ts',
  'isoglot/mcp': 'mcp.ts',
  'isoglot/gateway': 'gateway/index.ts',
  'isoglot/messages': 'messages/index.ts',
  'isoglot/import': 'import/index.ts',
  'isoglot/codec': 'codecs/index.ts',
}

registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== 'isoglot' && !specifier.startsWith('isoglot/')) return next(specifier, context)
    const path = files[specifier] ?? `codecs/${specifier.slice('isoglot/'.length)}/index.ts`
    return { url: new URL(path, src).href, format: 'module-typescript', shortCircuit: true }
  },
})
