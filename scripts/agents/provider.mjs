/**
 * A provider for agents: one format on loopback, as its documents describe it. Its first answer calls the agent's shell, and the next repeats what
 * the shell wrote. A request that is against the rules of the format is a 400.
 *
 * @module
 */
import { chunks, json, startUpstream } from '../../test/support/upstream.ts'

/** The formats of the providers: OpenAI's two, Anthropic's, Google's, Ollama's. */
export const wires = ['openai-chat', 'openai-responses', 'anthropic', 'gemini', 'ollama']

/** Those that sign a thought or, Gemini, the call after it: the signature must come back. */
const signing = { 'openai-responses': 'thought', anthropic: 'thought', gemini: 'call' }

/** Whether the provider's signature has to come back from an agent. */
export function expectsProof(wire, { keepsThoughts }) {
  return signing[wire] === 'call' || (signing[wire] === 'thought' && keepsThoughts)
}

/** A harmless command. Nothing has what it writes before it runs. It has no `$(`, which gemini-cli refuses to run. */
const command = 'expr 40 + 2 | sed s/^/isoglot-/'
export const written = 'isoglot-42'
/** The words before the result in the last answer. */
export const said = 'The tool wrote'

/** Starts the provider, and returns what it was asked, the mistakes that it found, and a model of it. */
export async function startProvider(wire) {
  const { provider, violations, server, modelAt } = await factsOf(wire)
  const upstream = await startUpstream()
  const state = { wrong: [], results: [], hasProof: false }
  upstream.answer((response, asked) => {
    const wrong = provider.path.test(asked.path) ? violations(asked.body) : [`there is no ${asked.path}`]
    if (!provider.holdsKey(asked)) wrong.push('the key is wrong')
    state.wrong.push(...wrong)
    if (wrong.length > 0) return json(provider.error(400, wrong.join('; ')), 400)(response, asked)
    const results = server.resultsIn(asked.body).map(({ text }) => text)
    state.results.push(...results)
    state.hasProof ||= provider.hear(asked.body).hasProof
    const answer = answerTo(asked.body, results)
    const isStream = provider.isStream(asked)
    return (isStream ? chunks(provider.pieces(answer)) : json(provider.whole(answer)))(response, asked)
  })
  return { state, asked: upstream.asked, model: modelAt(upstream.url), stop: () => upstream.stop() }
}

async function factsOf(wire) {
  const [{ facts }, { server, modelAt }] = await Promise.all(
    ['index', `${wire}/server`].map((name) => import(`../../test/formats/${name}.ts`)),
  )
  const { provider, violations } = facts[wire]
  return { provider, violations: (body) => [...violations(body)], server, modelAt }
}

function answerTo(body, results) {
  if (results.length > 0) return { text: `${said}: ${results.at(-1)}` }
  const shell = functionsIn(body).find(({ name }) => /^(?:bash|exec_command|(?:run_)?shell(?:_command)?)$/.test(name))
  if (shell === undefined) return { text: 'I was given no shell.' }
  const [field] = ['command', 'cmd'].filter((name) => name in (shell.schema.properties ?? {}))
  const isList = shell.schema.properties?.[field]?.type === 'array'
  const args = { [field]: isList ? ['bash', '-c', command] : command }
  return { thought: 'A shell can tell.', text: 'Let me look.', calls: [{ id: 'call_agent_1', name: shell.name, args }] }
}

/** The functions of a request, in any of the formats. */
function functionsIn({ tools = [] }) {
  return tools
    .flatMap((tool) => tool.functionDeclarations ?? tool.function ?? tool)
    .map(({ name, parameters, parametersJsonSchema, input_schema }) => ({
      name,
      schema: parameters ?? parametersJsonSchema ?? input_schema ?? {},
    }))
}
