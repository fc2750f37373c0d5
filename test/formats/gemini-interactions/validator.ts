/** Finds why Gemini Interactions would answer with a 400. Written only from wire/gemini-interactions.md (§2, §3, §8). */
import {
  type Findings,
  isBase64,
  isObject,
  list,
  object,
  type Refusals,
  type Validator,
  validator,
  type Wire,
  withTurns,
  words,
} from '../validator.ts'

/** §2: "Unknown fields are refused". */
const bodyKeys = words(
  'model agent input system_instruction tools generation_config agent_config response_format previous_interaction_id store background ' +
    'stream service_tier labels safety_settings continuation_token environment webhook_config cached_content response_modalities',
)
/** §2.4. */
const configKeys = words(
  'max_output_tokens stop_sequences seed temperature top_p thinking_level thinking_summaries tool_choice speech_config ' +
    'transcription_config video_config image_config',
)
/** §2.1 and §3. */
const stepKeys: Readonly<Record<string, ReadonlySet<string>>> = {
  user_input: words('type content'),
  model_output: words('type content error'),
  thought: words('type signature summary'),
  function_call: words('type id name arguments signature'),
  function_result: words('type call_id name result is_error'),
}
/** §2.2. */
const contentKeys: Readonly<Record<string, ReadonlySet<string>>> = {
  text: words('type text annotations'),
  image: words('type data uri mime_type resolution'),
  audio: words('type data uri mime_type channels sample_rate'),
  video: words('type data uri mime_type resolution name processing'),
  document: words('type data uri mime_type'),
}
const hosted =
  /^(?:google_search|code_execution|url_context|google_maps|file_search|retrieval|mcp_server_tool|processing)_(?:call|result)$/

export const validate: Validator = validator((body, found) => {
  found.keys(body, bodyKeys, 'body')
  found.check('model' in body !== 'agent' in body, 'model', 'one of model and agent')
  if ('model' in body) found.match(body.model, /^[^/]+$/, 'model')
  if ('system_instruction' in body) found.text(body.system_instruction, 'system_instruction')
  const config = object(body.generation_config)
  found.keys(config, configKeys, 'generation_config')
  // §2: "`generation_config` and `agent_config` exclude each other"; §2.5: Deep Research "refuses `system_instruction`".
  found.check(!('agent' in body && 'generation_config' in body), 'generation_config', 'stands beside an agent')
  const isResearch = String(body.agent).startsWith('deep-research')
  found.check(!(isResearch && 'system_instruction' in body), 'system_instruction', 'stands beside Deep Research')
  const functions = list(body.tools).filter(({ type }) => type === 'function')
  functions.forEach((tool, at) => {
    found.keys(tool, words('type name description parameters'), `tools[${at}]`)
    found.match(tool.name, /^[A-Za-z_][\w.:-]{0,127}$/, `tools[${at}].name`)
  })
  // §2.3: "Function calling config is set without function_declarations."
  if ('tool_choice' in config) found.check(functions.length > 0, 'tool_choice', 'set without functions')
  // §2.1: a text is a step of the user.
  checkSteps(typeof body.input === 'string' ? [hears(body.input)] : list(body.input), body, found)
})

function checkSteps(steps: readonly Wire[], body: Wire, found: Findings): void {
  const isStored = 'previous_interaction_id' in body
  found.check(steps.length > 0 || 'continuation_token' in body, 'input', 'is empty')
  found.check(isStored || steps[0]?.type === 'user_input', 'input[0]', 'no user_input comes first')
  const calls = new Set<unknown>()
  const answered = new Set<unknown>()
  steps.forEach((step, at) => {
    const path = `input[${at}]`
    checkStep(step, path, found)
    if (step.type === 'function_call') {
      found.check(!calls.has(step.id), path, `id "${step.id}" is there twice`)
      calls.add(step.id)
    }
    if (step.type === 'function_result') {
      found.check(isStored || calls.has(step.call_id), path, `no call ${step.call_id}`)
      found.check(!answered.has(step.call_id), path, `a second result for ${step.call_id}`)
      answered.add(step.call_id)
      // §2.1: "Multimodal function responses are not supported for this model".
      const isMedia = list(step.result).some(({ type }) => type !== 'text')
      found.check(!isMedia || !/gemini-2/.test(String(body.model)), `${path}.result`, 'media to an old model')
    }
  })
  for (const id of calls) found.check(answered.has(id), 'input', `no result for ${id}`)
  // §8: "Function call is missing a thought_signature": "Only the first call of the turn after the last user_input is checked".
  const turn = steps.slice(steps.findLastIndex(({ type }) => type === 'user_input') + 1)
  const first = turn.find(({ type }) => type === 'function_call')
  const isChecked = /gemini-3/.test(String(body.model)) && first !== undefined
  found.check(!isChecked || isBase64(first.signature), 'input', 'function call is missing a thought_signature')
}

function checkStep(step: Wire, path: string, found: Findings): void {
  const type = String(step.type)
  const keys = stepKeys[type]
  if (keys === undefined) {
    found.check(hosted.test(type), path, `a step of the type "${type}"`)
    return
  }
  found.keys(step, keys, path)
  switch (type) {
    case 'user_input':
    case 'model_output':
      checkContents(list(step.content), `${path}.content`, found)
      break
    case 'thought':
      // §8: "Reasoning without a valid proof: drop it".
      found.check(isBase64(step.signature), `${path}.signature`, 'a thought without a signature')
      break
    case 'function_call':
      found.match(step.id, /^[\w-]{1,64}$/, `${path}.id`)
      found.match(step.name, /^[A-Za-z_][\w.:-]{0,127}$/, `${path}.name`)
      found.check(isObject(step.arguments), `${path}.arguments`, 'is no object')
      break
    default:
      found.match(step.call_id, /^[\w-]{1,64}$/, `${path}.call_id`)
      if (Array.isArray(step.result)) checkContents(list(step.result), `${path}.result`, found)
      else found.text(step.result, `${path}.result`)
  }
}

function checkContents(contents: readonly Wire[], path: string, found: Findings): void {
  found.check(contents.length > 0, path, 'is empty')
  contents.forEach((content, at) => {
    const where = `${path}[${at}]`
    const keys = contentKeys[String(content.type)]
    if (!found.check(keys !== undefined, where, `a content of the type "${content.type}"`) || keys === undefined) return
    found.keys(content, keys, where)
    if (content.type === 'text') {
      found.text(content.text, where)
      return
    }
    found.check('data' in content !== 'uri' in content, where, 'one of data and uri')
    // §2.2: "Plain-text files have no type of their own: send as `text`".
    found.check(content.mime_type !== 'text/plain', `${where}.mime_type`, 'plain text is no document')
    if ('data' in content) {
      found.check(isBase64(content.data), `${where}.data`, 'is no base64')
      found.match(content.mime_type, /^\w+\/[\w.+-]+$/, `${where}.mime_type`)
    }
  })
}

const hears = (value: string) => ({ type: 'user_input', content: [{ type: 'text', text: value }] })
const thought = { type: 'thought', signature: 'c2ln' }
const call = (id: string, args: unknown = {}) => ({ type: 'function_call', id, name: 'f', arguments: args })
const result = (call_id: string, value: unknown = 'x') => ({
  type: 'function_result',
  call_id,
  name: 'f',
  result: value,
})
const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' } }]
const signed = { ...call('a'), signature: 'c2ln' }
const good = { model: 'gemini-3.8-flash', store: false, tools, input: [hears('x'), thought, signed, result('a')] }
const image = [{ type: 'image', data: 'aGk=', mime_type: 'image/png' }]

export const refusals: readonly Refusals[] = [
  {
    title: 'Gemini Interactions',
    provider: 'gemini',
    good,
    cases: withTurns('input', [
      ['an unknown field', /unknown field "top_k"/, { generation_config: { top_k: 3 } }],
      ['a path as the model', /model/, { model: 'models/gemini-3.8-flash' }],
      ['a choice without functions', /without functions/, { tools: [], generation_config: { tool_choice: 'any' } }],
      ['nothing said', /is empty/, []],
      ['a call that nothing precedes', /comes first/, [call('a'), result('a')]],
      ['arguments as text', /no object/, [hears('x'), call('a', '{}'), result('a')]],
      ['a call without a result', /no result/, [hears('x'), call('a')]],
      ['a result without a call', /no call/, [hears('x'), result('a')]],
      ['two results', /second result/, [hears('x'), call('a'), result('a'), result('a')]],
      ['an object as a result', /text/, [hears('x'), call('a'), result('a', { sum: 1 })]],
      [
        'media to an old model',
        /old model/,
        { model: 'gemini-2.5-flash', input: [hears('x'), call('a'), result('a', image)] },
      ],
      ['an unsigned call', /missing a thought_signature/, [hears('x'), thought, call('a'), result('a')]],
      [
        'plain text as a document',
        /plain text/,
        [{ type: 'user_input', content: [{ type: 'document', data: 'aGk=', mime_type: 'text/plain' }] }],
      ],
      [
        'an agent with the options of a model',
        /beside an agent/,
        { model: undefined, agent: 'a', generation_config: {} },
      ],
      ['an unsigned thought', /without a signature/, [hears('x'), { type: 'thought' }]],
      ['a role', /type "undefined"/, [{ role: 'user', content: 'x' }]],
      ['an empty step', /is empty/, [{ type: 'user_input', content: [] }]],
    ]),
  },
]
