/**
 * Finds why OpenAI Responses would answer with a 400. Written only from wire/openai-responses.md (§2.1, §2.2, §2.4, §7), and from the pages that
 * are named beside a rule.
 */
import {
  type Findings,
  isDataUrl,
  isObject,
  isWebAddress,
  list,
  object,
  parsesToObject,
  type Refusals,
  type Validator,
  validator,
  type Wire,
  withTurns,
  words,
} from '../validator.ts'

/** §2.1: "Other hosted items that round-trip as opaque data". */
const hosted = words(
  'web_search_call file_search_call code_interpreter_call image_generation_call computer_call computer_call_output mcp_list_tools ' +
    'mcp_call mcp_approval_request mcp_approval_response tool_search_call tool_search_output shell_call shell_call_output ' +
    'local_shell_call local_shell_call_output apply_patch_call apply_patch_call_output program program_output compaction ' +
    'configuration_update additional_tools compaction_trigger custom_tool_call custom_tool_call_output item_reference',
)

/** §2.4: "right prefix, ≤64 chars, `[A-Za-z0-9_-]`, no trailing `_`". Other servers of the format have other prefixes. */
const prefixes: Readonly<Record<string, string>> = { reasoning: 'rs_', function_call: 'fc_', message: 'msg_' }

export function validatorOf(provider: string): Validator {
  return validator((body, found) => checkBody(body, provider, found))
}

function checkBody(body: Wire, provider: string, found: Findings): void {
  found.text(body.model, 'model')
  // §2.3: there are no such fields.
  for (const key of [
    'stop',
    'seed',
    'n',
    'frequency_penalty',
    'presence_penalty',
    'logit_bias',
    'messages',
    'max_tokens',
  ])
    found.check(!(key in body), key, 'there is no such field')
  if ('max_output_tokens' in body)
    found.check(Number(body.max_output_tokens) >= 16, 'max_output_tokens', 'integer below minimum value')
  if ('instructions' in body) found.text(body.instructions, 'instructions')
  list(body.tools).forEach((tool, at) => {
    checkTool(tool, `tools[${at}]`, found)
  })
  if (typeof body.input === 'string') return
  checkItems(list(body.input), body, provider, found)
}

function checkTool(tool: Wire, path: string, found: Findings): void {
  if (tool.type !== 'function') return
  found.match(tool.name, /^[\w-]{1,64}$/, `${path}.name`)
  found.check(!('function' in tool), path, 'tools are flat')
  found.check(tool.parameters == null || isObject(tool.parameters), `${path}.parameters`, 'is not a schema')
}

function checkItems(items: readonly Wire[], body: Wire, provider: string, found: Findings): void {
  found.check(items.length > 0, 'input', 'an empty input is refused even with instructions')
  const calls = new Set<unknown>()
  const due = new Set<unknown>()
  const answered = new Set<unknown>()
  items.forEach((item, at) => {
    const path = `input[${at}]`
    checkItem(item, body, provider, path, found)
    checkId(item, provider, path, found)
    checkOutputOnly(item, path, found)
    if (calledBy.has(String(item.type))) {
      found.check(!calls.has(item.call_id), path, `call_id "${item.call_id}" is there twice`)
      calls.add(item.call_id)
      if (isClients(item)) due.add(item.call_id)
    }
    if (/_output$/.test(String(item.type)) && calledBy.has(String(item.type).replace(/_output$/, ''))) {
      const isKnown = calls.has(item.call_id) || 'previous_response_id' in body
      found.check(isKnown, path, `No tool call found for function call output with call_id ${item.call_id}`)
      found.check(!answered.has(item.call_id), path, `a second output for ${item.call_id}`)
      answered.add(item.call_id)
    }
    if (item.type === 'reasoning') checkFollower(items[at + 1], path, found)
  })
  for (const id of due) found.check(answered.has(id), 'input', `No tool output found for function call ${id}`)
}

/** Calls that a client must answer (§2.4; responses-extras.md §1.2, §1.5), by the type that their outputs have with `_output` after it. */
const calledBy = words('function_call custom_tool_call computer_call shell_call local_shell_call apply_patch_call')
function isClients({ type, environment }: Wire): boolean {
  // OpenAI runs the commands of a shell in a container of its own.
  return calledBy.has(String(type)) && object(environment).type !== 'container_reference'
}

/** "Strip output-only fields" (§2.1): those that the types of items of an answer have in `openai` 7.55.0, and the types of the input do not. */
function checkOutputOnly(value: unknown, path: string, found: Findings): void {
  if (Array.isArray(value)) for (const one of value) checkOutputOnly(one, path, found)
  if (!isObject(value)) return
  for (const [name, inner] of Object.entries(value)) {
    found.check(!/^(?:created_by|parsed|parsed_arguments)$/.test(name), path, `"${name}" is only in answers`)
    if (name !== 'tools') checkOutputOnly(inner, path, found)
  }
}

/** "provided without its required following item": what it preceded in the answer, which a user or an output never is. */
function checkFollower(next: Wire | undefined, path: string, found: Findings): void {
  const type = next?.type ?? (next === undefined ? undefined : 'message')
  const isOutput = /_output$/.test(String(type))
  const isOther = type === 'message' && next?.role !== 'assistant'
  found.check(next !== undefined && !isOutput && !isOther, path, 'a reasoning item without its required following item')
}

function checkId(item: Wire, provider: string, path: string, found: Findings): void {
  if (item.id === undefined || item.type === 'item_reference') return
  if (!/^(?:openai|azure)/.test(provider)) {
    found.match(item.id, /^.+$/, `${path}.id`)
    return
  }
  found.match(item.id, /^[\w-]{0,63}[A-Za-z0-9-]$/, `${path}.id`)
  const prefix = prefixes[String(item.type)]
  if (prefix !== undefined)
    found.check(String(item.id).startsWith(prefix), `${path}.id`, `"${item.id}" does not begin with ${prefix}`)
}

const parts: Readonly<Record<string, ReadonlySet<string>>> = {
  user: words('input_text input_image input_file'),
  system: words('input_text input_image input_file'),
  developer: words('input_text input_image input_file'),
  assistant: words('output_text refusal'),
}
/** Output-only fields are to be stripped (§2.1). */
const messageKeys = words('type id role content status phase')
const callKeys = words('type id call_id name arguments namespace status caller')

function checkItem(item: Wire, body: Wire, provider: string, path: string, found: Findings): void {
  const type = item.type ?? (typeof item.role === 'string' ? 'message' : undefined)
  switch (type) {
    case 'message':
      found.keys(item, messageKeys, path)
      checkMessage(item, path, found)
      if (provider === 'openai') for (const part of list(item.content)) checkAnnotations(part, path, found)
      return
    case 'function_call':
      found.keys(item, callKeys, path)
      found.match(item.call_id, /^.{1,64}$/s, `${path}.call_id`)
      found.match(item.name, /^[\w-]{1,128}$/, `${path}.name`)
      if (found.text(item.arguments, `${path}.arguments`)) {
        // dialects.md §10: "Templates parse `arguments` as JSON: invalid JSON → 400 or 500", then for every later request of the conversation.
        found.check(parsesToObject(item.arguments), `${path}.arguments`, 'is not a JSON object')
      }
      return
    case 'function_call_output':
      found.match(item.call_id, /^.{1,64}$/s, `${path}.call_id`)
      if (!Array.isArray(item.output)) found.text(item.output, `${path}.output`)
      checkParts(list(item.output), parts.user as ReadonlySet<string>, `${path}.output`, found)
      return
    case 'reasoning':
      checkReasoning(item, body, path, found)
      return
    default:
      if (provider === 'xai' && /^\w+_call$/.test(String(type))) return // its own server tools
      found.check(hosted.has(String(type)), path, `an item of the type "${type}"`)
      // §2.4: "store:false: stored ids are gone".
      if (type === 'item_reference') found.check(body.store !== false, path, 'references need stored items')
  }
}

function checkMessage(item: Wire, path: string, found: Findings): void {
  const allowed = parts[String(item.role)]
  if (!found.check(allowed !== undefined, path, `role "${item.role}"`) || allowed === undefined) return
  if (typeof item.content === 'string') return
  found.check(Array.isArray(item.content), `${path}.content`, 'is neither text nor parts')
  checkParts(list(item.content), allowed, `${path}.content`, found)
}

function checkParts(items: readonly Wire[], allowed: ReadonlySet<string>, path: string, found: Findings): void {
  items.forEach((part, at) => {
    const where = `${path}[${at}]`
    found.check(allowed.has(String(part.type)), where, `a part of the type "${part.type}"`)
    if (part.type === 'input_image') {
      const isImage = isDataUrl(part.image_url) || isWebAddress(part.image_url) || typeof part.file_id === 'string'
      found.check(isImage, where, `image "${part.image_url}"`)
    } else if (part.type === 'input_file') {
      const isFile = isDataUrl(part.file_data) || isWebAddress(part.file_url) || typeof part.file_id === 'string'
      found.check(isFile, where, 'a file without data')
    } else found.text(part.type === 'refusal' ? part.refusal : part.text, where)
  })
}

/** §3: `url_citation{start_index,end_index,title,url}`. */
function checkAnnotations(part: Wire, path: string, found: Findings): void {
  for (const one of list(part.annotations)) {
    if (one.type !== 'url_citation') continue
    const isWhole = ['start_index', 'end_index', 'title', 'url'].every((key) => one[key] !== undefined)
    found.check(isWhole, `${path}.annotations`, 'a url_citation that lacks a field')
  }
}

function checkReasoning(item: Wire, body: Wire, path: string, found: Findings): void {
  found.check(Array.isArray(item.summary), `${path}.summary`, 'is not a list')
  // §2.4: "a reasoning item with no `encrypted_content` must be dropped"; "`status:null` on a reasoning item is refused".
  if (body.store === false)
    found.check(typeof item.encrypted_content === 'string', path, `Item with id '${item.id}' not found`)
  found.check(item.status !== null, `${path}.status`, 'null is refused')
}

const user = { role: 'user', content: 'Hello' }
const call = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' }
const output = { type: 'function_call_output', call_id: 'a', output: 'x' }
const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' }
const shell = { type: 'shell_call', call_id: 's', action: { commands: ['ls'] } }
const good = { model: 'm', store: false, input: [user, thought, call, output] }

export const refusals: readonly Refusals[] = [
  {
    title: 'Responses',
    provider: 'openai',
    good,
    cases: withTurns('input', [
      ['an empty input', /empty input/, []],
      ['a call without an output', /No tool output/, [user, call]],
      ['an output without a call', /No tool call/, [user, output]],
      ['a call twice', /there twice/, [user, call, output, call, output]],
      ['reasoning that nothing follows', /required following item/, [user, thought]],
      ['reasoning before a user', /required following item/, [thought, user]],
      [
        'reasoning without its content',
        /not found/,
        [user, { ...thought, encrypted_content: undefined }, call, output],
      ],
      ['an id with a wrong prefix', /does not begin/, [user, { ...call, id: 'rs_1' }, output]],
      [
        'input text of an assistant',
        /input_text/,
        [{ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }],
      ],
      [
        'an image as an object',
        /image/,
        [{ role: 'user', content: [{ type: 'input_image', image_url: { url: 'https://x.y' } }] }],
      ],
      ['broken arguments', /not a JSON object/, [user, { ...call, arguments: '{"a' }, output]],
      ['a call of a shell without an output', /No tool output/, [user, shell]],
      [
        'a field of an output that only answers have',
        /only in answers/,
        [user, shell, { ...shell, type: 'shell_call_output', output: [{ stdout: 'x', created_by: 'x' }] }],
      ],
      ['nested tools', /flat/, { tools: [{ type: 'function', name: 'f', function: {} }] }],
      ['stop sequences', /no such field/, { stop: ['x'] }],
      ['a reference without a store', /stored items/, [user, { type: 'item_reference', id: 'msg_1' }]],
      [
        'a citation that lacks a field',
        /lacks a field/,
        [
          {
            role: 'assistant',
            content: [{ type: 'output_text', text: 'x', annotations: [{ type: 'url_citation', url: 'u' }] }],
          },
          user,
        ],
      ],
    ]),
  },
]
