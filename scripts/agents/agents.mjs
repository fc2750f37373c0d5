/**
 * The agents that `scripts/agents.mjs` runs: each is a program of npm, which has a format and a folder of its own, and asks nothing before it
 * runs a command.
 *
 * @module
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const packages = join(import.meta.dirname, 'node_modules')

/**
 * How a program is started. `home` is a new folder, `url` the gateway's address. Returns the arguments for Node, and variables of the environment.
 *
 * @typedef {{ home: string, url: string, key: string, prompt: string }} Setup
 * @typedef {{ args: string[], env: Record<string, string> }} Start
 */

/**
 * By the name of the agent and its format. gemini-cli, and pi in Chat Completions, send back no signed thoughts, whoever made them: only the
 * signatures of calls.
 *
 * @type {Record<string, { start: (setup: Setup) => Start, keepsThoughts: boolean }>}
 */
export const agents = {
  'Codex CLI (openai-responses)': { start: startCodex, keepsThoughts: true },
  'gemini-cli (gemini)': { start: startGemini, keepsThoughts: false },
  'pi (openai-chat)': { start: (setup) => startPi(setup, 'openai-completions', '/v1'), keepsThoughts: false },
  'pi (openai-responses)': { start: (setup) => startPi(setup, 'openai-responses', '/v1'), keepsThoughts: true },
  'pi (anthropic)': { start: (setup) => startPi(setup, 'anthropic-messages', ''), keepsThoughts: true },
  'pi (gemini)': { start: (setup) => startPi(setup, 'google-generative-ai', '/v1beta'), keepsThoughts: true },
}

/** https://github.com/openai/codex/blob/main/docs/config.md */
function startCodex({ home, url, key, prompt }) {
  const config = `
    model = "gpt-5"
    model_provider = "gateway"
    check_for_update_on_startup = false
    [analytics]
    enabled = false
    [model_providers.gateway]
    name = "gateway"
    base_url = "${url}/v1"
    env_key = "GATEWAY_KEY"
    wire_api = "responses"
    request_max_retries = 0
    stream_max_retries = 0
  `
  write(join(home, '.codex', 'config.toml'), config)
  const flags = ['--dangerously-bypass-approvals-and-sandbox', '--skip-git-repo-check']
  return {
    args: [join(packages, '@openai', 'codex', 'bin', 'codex.js'), 'exec', ...flags, prompt],
    env: { CODEX_HOME: join(home, '.codex'), GATEWAY_KEY: key },
  }
}

/** https://github.com/google-gemini/gemini-cli/blob/main/docs/reference/configuration.md */
function startGemini({ home, url, key, prompt }) {
  const settings = {
    security: { auth: { selectedType: 'gemini-api-key' } },
    privacy: { usageStatisticsEnabled: false },
    general: { enableAutoUpdate: false },
  }
  write(join(home, '.gemini', 'settings.json'), JSON.stringify(settings))
  return {
    args: [
      join(packages, '@google', 'gemini-cli', 'bundle', 'gemini.js'),
      ...['--model', 'gemini-2.5-pro', '--yolo', '--prompt', prompt],
    ],
    env: { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  }
}

/** https://github.com/badlogic/pi-mono/blob/main/packages/coding-agent/docs/models.md */
function startPi({ home, url, key, prompt }, api, path) {
  const folder = join(home, '.pi')
  const gateway = { baseUrl: url + path, api, apiKey: key, models: [{ id: 'any', reasoning: true }] }
  write(join(folder, 'models.json'), JSON.stringify({ providers: { gateway } }))
  const program = join(packages, '@mariozechner', 'pi-coding-agent', 'dist', 'cli.js')
  return {
    args: [program, '--provider', 'gateway', '--model', 'any', '--no-session', '--print', prompt],
    env: { PI_CODING_AGENT_DIR: folder, PI_OFFLINE: '1', PI_TELEMETRY: '0' },
  }
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
