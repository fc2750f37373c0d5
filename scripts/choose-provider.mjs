/** Chooses the providers of `npm start`: the real ones whose keys `.dev.vars` has, otherwise the embedded one. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { startProvider } from '../examples/provider/index.mjs'

const devVars = join(import.meta.dirname, '..', '.dev.vars')

/** For each provider: the prefix of its settings, its name in model ids, the start of its paths, and a first model. */
const providers = [
  { prefix: 'OPENAI', id: 'openai-chat', base: '/v1', model: 'gpt-5-mini' },
  { prefix: 'ANTHROPIC', id: 'anthropic', base: '/v1', model: 'claude-haiku-4-5' },
  { prefix: 'GEMINI', id: 'gemini', base: '/v1beta', model: 'gemini-3-flash-preview' },
  { prefix: 'XAI', id: 'xai', base: '/v1', model: 'grok-4-fast' },
  { prefix: 'OLLAMA', id: 'ollama', base: '', model: '' },
]

/** Real or embedded: the settings of the Worker, the models, and a function that stops the provider. */
export async function chooseProvider(demoKey) {
  const vars = existsSync(devVars) ? parseEnv(readFileSync(devVars, 'utf8')) : {}
  const isReal = providers.some(({ prefix }) => vars[`${prefix}_API_KEY`] || vars[`${prefix}_MODELS`])
  return isReal ? realProviders(vars) : embeddedProvider(demoKey)
}

function realProviders(vars) {
  const lists = providers.map(({ prefix, id, model }) => {
    const isThere = vars[`${prefix}_API_KEY`] || id === 'ollama'
    return { prefix, id, list: isThere ? (vars[`${prefix}_MODELS`] ?? model) : '' }
  })
  return {
    name: 'the providers in .dev.vars',
    envFiles: [devVars],
    settings: {
      ...Object.fromEntries(lists.map(({ prefix, list }) => [`${prefix}_MODELS`, list])),
      ...(vars.SESSION_SECRET && { SESSION_SECRET: vars.SESSION_SECRET }),
    },
    models: lists.flatMap(({ id, list }) => named(id, list)),
    stop: async () => {},
  }
}

function named(id, list) {
  return list
    .split(',')
    .filter(Boolean)
    .map((name) => `${id}:${name.trim()}`)
}

async function embeddedProvider(demoKey) {
  const key = demoKey || `demo-${randomBytes(24).toString('base64url')}`
  if (!/^[\w.~+/=-]{12,}$/.test(key)) {
    throw new Error('Cannot use ISOGLOT_DEMO_KEY: a key has 12 characters or more, of letters, digits and -._~+/=')
  }
  const provider = await startProvider({ key })
  return {
    name: 'the embedded provider',
    envFiles: [],
    settings: settingsFor(provider.url, key),
    models: providers.filter(({ id }) => id !== 'xai').map(({ id }) => `${id}:demo-model`),
    stop: provider.stop,
  }
}

/** The embedded provider in place of all providers. It has the prices of a small model, so that the accounts have figures. */
export function settingsFor(url, key) {
  const entries = providers
    .filter(({ id }) => id !== 'xai')
    .flatMap(({ prefix, base }) => [
      [`${prefix}_API_KEY`, key],
      [`${prefix}_BASE_URL`, url + base],
      [`${prefix}_MODELS`, 'demo-model'],
    ])
  return { ...Object.fromEntries(entries), PRICES: '{"demo-model":[1,5]}' }
}
