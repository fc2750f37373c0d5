/** Which provider `npm start` puts behind the Worker: the real ones if `.dev.vars` has their keys, else the embedded one. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { startProvider } from './provider/index.mjs'

const devVars = join(import.meta.dirname, '..', '.dev.vars')

/** Real or embedded: the Worker's settings for it, the models it has, and how to stop it. */
export async function chooseProvider(demoKey) {
  const vars = existsSync(devVars) ? parseEnv(readFileSync(devVars, 'utf8')) : {}
  return vars.OPENAI_API_KEY || vars.ANTHROPIC_API_KEY ? realProviders(vars) : embeddedProvider(demoKey)
}

function realProviders(vars) {
  const lists = {
    OPENAI_MODELS: vars.OPENAI_API_KEY ? (vars.OPENAI_MODELS ?? 'gpt-5-mini') : '',
    ANTHROPIC_MODELS: vars.ANTHROPIC_API_KEY ? (vars.ANTHROPIC_MODELS ?? 'claude-haiku-4-5') : '',
  }
  return {
    name: 'the providers in .dev.vars',
    envFiles: [devVars],
    settings: { ...lists, ...(vars.SESSION_SECRET && { SESSION_SECRET: vars.SESSION_SECRET }) },
    models: [...named('openai-chat', lists.OPENAI_MODELS), ...named('anthropic', lists.ANTHROPIC_MODELS)],
    stop: async () => {},
  }
}

function named(wire, list) {
  return list
    .split(',')
    .filter(Boolean)
    .map((name) => `${wire}:${name.trim()}`)
}

async function embeddedProvider(demoKey) {
  const key = demoKey || `demo-${randomBytes(24).toString('base64url')}`
  if (!/^[\w.~+/=-]{8,}$/.test(key)) {
    throw new Error('Cannot use ISOGLOT_DEMO_KEY: a key has 8 characters or more, of letters, digits and -._~+/=')
  }
  const provider = await startProvider({ key })
  const base = `${provider.url}/v1`
  return {
    name: 'the embedded provider',
    envFiles: [],
    settings: {
      OPENAI_API_KEY: key,
      OPENAI_BASE_URL: base,
      OPENAI_MODELS: 'demo-model',
      ANTHROPIC_API_KEY: key,
      ANTHROPIC_BASE_URL: base,
      ANTHROPIC_MODELS: 'demo-model',
    },
    models: ['openai-chat:demo-model', 'anthropic:demo-model'],
    stop: provider.stop,
  }
}
