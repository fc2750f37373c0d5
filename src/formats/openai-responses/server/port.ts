/**
 * OpenAI Responses: writes a client's request again for a target that has only functions. Half of what a server needs; no page loads it.
 *
 * Tools that the client runs and that only this format has become functions: custom tools, members of namespaces, the client's own tool
 * search, shells and patches. So do their calls and results in the history. The answer's calls go back in the client's own form.
 *
 * @see https://platform.openai.com/docs/guides/function-calling?api-mode=responses#custom-tools
 * @see https://platform.openai.com/docs/guides/tools-tool-search
 * @see https://platform.openai.com/docs/guides/tools-shell
 * @see https://platform.openai.com/docs/guides/tools-apply-patch
 *
 * @module
 */
import type { OwnCall, PortedRequest, PortTarget } from '../../../core/codec.ts'
import { hash } from '../../../core/ids.ts'
import { arrayOf, compact, field, isObject, lookup, objectIn, stringOr, textOr } from '../../../core/json.ts'
import type { Json, JsonObject, Loss } from '../../../core/messages.ts'
import { freeTextParameters } from '../../shared/free-text.ts'
import * as reasons from '../../shared/reasons.ts'
import { shortSchema } from '../../shared/short-schema.ts'
import { markText } from '../../shared/stand-ins.ts'
import { customCall, format } from '../tables.ts'

/** The hosts that have all of these tools. Others of this format have functions only. */
const natives: ReadonlySet<string> = new Set(['openai', 'azure'])

/** A tool of this format that the client runs, and that has no name and no schema of its own. */
interface ClientTool {
  /** The field of a call that has the arguments. The type of the call is that of the tool and `_call`. */
  readonly field: string
  /** Fields of the arguments that are always the same: the model does not write them. */
  readonly fixed?: JsonObject
  /** Other fields of its calls. */
  readonly item?: JsonObject
  readonly description: string
  /** As `shortSchema` reads them. */
  readonly parameters: string
}

const clientTools: Readonly<Record<string, ClientTool>> = {
  tool_search: {
    field: 'arguments',
    item: { execution: 'client' },
    description: 'Searches for more tools. Those that it finds can be called afterwards.',
    parameters: 'query',
  },
  local_shell: {
    field: 'action',
    fixed: { type: 'exec', env: {} },
    description: "Runs a command on the user's machine.",
    parameters: 'command[] timeout_ms?# working_directory?',
  },
  shell: {
    field: 'action',
    item: { environment: { type: 'local' } },
    description: "Runs shell commands on the user's machine.",
    parameters: 'commands[] timeout_ms?# max_output_length?#',
  },
  apply_patch: {
    field: 'operation',
    description:
      'Changes a file. Each line of the diff begins with "+" (added), "-" (removed) or a space (stays), and each place with "@@".',
    parameters: 'type=create_file|update_file|delete_file path diff?',
  },
}

/** The tool of a type of calls. */
function toolOf(call: unknown): ClientTool | undefined {
  return lookup(clientTools, /^(\w+)_call$/.exec(stringOr(call, ''))?.[1])
}

/** The item of a call that a function made, in the form of its tool; `undefined` for other calls. */
export function clientItem(type: unknown, call_id: string, given: JsonObject): JsonObject | undefined {
  const tool = toolOf(type)
  const more = tool && { ...tool.item, [tool.field]: { ...tool.fixed, ...given } }
  return more && { type: stringOr(type, ''), status: 'completed', call_id, ...more }
}

/** Whether the client answers it: a search or a shell can be the server's too. */
function isClients({ type, execution, environment }: JsonObject): boolean {
  if (stringOr(type, '').startsWith('tool_search')) return execution === 'client'
  return textOr(field(environment, 'type'), 'local') === 'local'
}

/** State while a request is written again. */
interface Task {
  readonly tools: Json[]
  /** Calls in the client's form, by the names of the functions. */
  readonly calls: Map<string, OwnCall>
  readonly losses: Loss[]
  /** The names of the functions, by namespace and name of the tools. */
  readonly names: Map<string, string>
  readonly taken: Set<string>
  /** The ids of calls that became calls of functions. */
  readonly ported: Set<Json | undefined>
}

/** Writes a request again. Returns `undefined` if it has only functions, or goes to a host that has all tools. */
export function port(body: JsonObject, { format: to, provider }: PortTarget): PortedRequest | undefined {
  if (to === format && natives.has(provider)) return undefined
  const given = arrayOf(body.tools)
  const items = arrayOf(body.input)
  if (!given.some(isOwnTool) && !items.some(isOwnItem)) return undefined
  const [names, taken, ported] = [new Map<string, string>(), new Set<string>(), new Set<Json | undefined>()]
  const task: Task = { tools: [], calls: new Map(), losses: [], names, taken, ported }
  for (const tool of given) if (isNamed(tool)) nameOf(task, tool.name) // they keep their names
  for (const [at, tool] of given.entries()) addTool(task, tool, `tools[${at}]`)
  const input = items.flatMap((item, at) => portItem(task, item, `input[${at}]`))
  const [tool_choice] = portChoice(task, body.tool_choice)
  const tools = Array.isArray(body.tools) || task.tools.length > 0 ? task.tools : undefined
  const changes = compact({ input: Array.isArray(body.input) ? input : undefined, tools, tool_choice })
  return { body: { ...body, ...changes }, calls: task.calls, losses: task.losses }
}

function isOwnTool(tool: Json): boolean {
  const type = field(tool, 'type')
  return type === 'custom' || type === 'namespace' || clientToolOf(tool) !== undefined
}

function clientToolOf(tool: Json): ClientTool | undefined {
  return isObject(tool) && isClients(tool) ? lookup(clientTools, tool.type) : undefined
}

const ownItems = /^(?:additional_tools|custom_tool_call|tool_search_|local_shell_call|shell_call|apply_patch_call)/

function isOwnItem(item: Json): boolean {
  return ownItems.test(stringOr(field(item, 'type'), '')) || field(item, 'namespace') !== undefined
}

function isNamed(tool: Json): tool is JsonObject & { name: string } {
  const type = field(tool, 'type')
  return (type === 'function' || type === 'custom') && typeof field(tool, 'name') === 'string'
}

/**
 * The name of the function that stands for a tool: the same for its definition, its calls and a choice of it, and no other tool's. A tool
 * without a name has the namespace `''`, which no other has.
 */
function nameOf({ names, taken }: Task, name: string, namespace?: string): string {
  const key = JSON.stringify([name, namespace])
  const known = names.get(key)
  if (known !== undefined) return known
  const whole = namespace ? `${namespace}${namespace.endsWith('__') ? '' : '__'}${name}` : name
  const free = taken.has(whole) ? `${whole}_${hash(key)}` : whole
  names.set(key, free)
  taken.add(free)
  return free
}

// ---- definitions --------------------------------------------------------------------------------

/** Adds the functions of a tool. `path` is where the client has it. */
function addTool(task: Task, tool: Json, path: string, namespace?: string): void {
  if (isObject(tool) && tool.type === 'namespace') {
    for (const member of arrayOf(tool.tools)) addTool(task, member, path, stringOr(tool.name, ''))
    changed(task, path, 'the target has no namespaces: its tools go under their full names')
  } else if (isNamed(tool)) addNamed(task, tool, path, namespace)
  else addClientTool(task, tool, path)
}

function addNamed(task: Task, tool: JsonObject & { name: string }, path: string, namespace: string | undefined): void {
  const { type, name: own, description, format: form, defer_loading: _, ...rest } = tool
  const name = nameOf(task, own, namespace)
  const head = { type: 'function', name, ...compact({ description }) }
  if (type === 'function') {
    addFunction(task, { ...head, ...rest }, path, own, compact({ namespace }))
    return
  }
  const definition = textOr(field(form, 'definition'), undefined)
  const parameters = freeTextParameters(textOr(field(form, 'syntax'), undefined), definition)
  addFunction(task, { ...head, parameters, strict: false }, path, own, compact({ type: customCall, namespace }))
  if (definition === undefined) changed(task, path, reasons.freeText)
  else changed(task, path, reasons.grammar, 'minor')
}

function addClientTool(task: Task, tool: Json, path: string): void {
  const own = clientToolOf(tool)
  if (own === undefined) {
    task.tools.push(tool)
    return
  }
  const { type, description, parameters } = tool as JsonObject
  const name = nameOf(task, stringOr(type, ''), '')
  const definition = {
    type: 'function',
    name,
    description: textOr(description, own.description),
    parameters: isObject(parameters) ? parameters : shortSchema(own.parameters),
    strict: false,
  }
  addFunction(task, definition, path, name, { type: `${type}_call` })
  changed(task, path, reasons.asFunction)
}

/** Adds a function and the client's form of its calls. A tool of the input may be in the list already. */
function addFunction(task: Task, definition: JsonObject, path: string, name: string, kept: JsonObject): void {
  const sent = stringOr(definition.name, '')
  if (path.startsWith('input') && task.tools.some((one) => field(one, 'name') === sent)) return
  task.tools.push(definition)
  if (Object.keys(kept).length > 0) task.calls.set(sent, { name, providerData: { [format]: kept } })
}

function changed({ losses }: Task, path: string, reason: string, severity: Loss['severity'] = 'info'): void {
  losses.push({ path, action: 'changed', reason, severity })
}

/** The choice among the functions. A choice of a namespace is one of each of its tools. */
function portChoice(task: Task, choice: Json | undefined): Json[] {
  if (!isObject(choice)) return choice === undefined ? [] : [choice]
  const { type, name, namespace } = choice
  const chosen = (sent: string): Json => ({ type: 'function', name: sent })
  if (type === 'allowed_tools') {
    const tools = arrayOf(choice.tools).flatMap((tool) => portChoice(task, tool))
    return [{ ...choice, tools: tools.filter((tool) => field(tool, 'type') === 'function') }]
  }
  if (type === 'namespace') {
    const members = [...task.names].filter(([key]) => JSON.parse(key)[1] === name)
    return members.map(([, sent]) => chosen(sent))
  }
  if (isNamed(choice)) return [chosen(nameOf(task, choice.name, textOr(namespace, undefined)))]
  return lookup(clientTools, type) === undefined ? [choice] : [chosen(nameOf(task, stringOr(type, ''), ''))]
}

// ---- the history --------------------------------------------------------------------------------

function portItem(task: Task, item: Json, path: string): Json[] {
  if (!isObject(item)) return [item]
  const { id, call_id, name, ...rest } = item
  const type = stringOr(item.type, '')
  const addFound = () => {
    for (const tool of arrayOf(item.tools)) addTool(task, tool, path)
  }
  const answered = (output: Json, of: Json | undefined = call_id): Json[] =>
    task.ported.has(of) ? [{ type: 'function_call_output', call_id: of ?? '', output }] : [item]
  switch (type) {
    case 'function_call':
    case customCall: {
      if (typeof name !== 'string') return [item]
      const { namespace, input, ...others } = rest
      const given = type === customCall ? { arguments: JSON.stringify({ input: stringOr(input, '') }) } : {}
      return [
        {
          ...others,
          ...given,
          ...compact({ call_id }),
          type: 'function_call',
          name: nameOf(task, name, textOr(namespace, undefined)),
        },
      ]
    }
    case `${customCall}_output`:
      return [{ ...rest, ...compact({ call_id }), type: 'function_call_output' }]
    case 'additional_tools':
      addFound()
      return []
    case 'tool_search_output': {
      if (!isClients(item)) return [item]
      const before = task.tools.length
      addFound()
      const found = task.tools.slice(before).flatMap((tool) => textOr(field(tool, 'name'), []))
      return answered(
        found.length === 0 ? 'No more tools were found.' : `Tools that can be called now: ${found.join(', ')}`,
      )
    }
    case 'local_shell_call_output':
      return answered(stringOr(rest.output, ''), call_id ?? id)
    case 'shell_call_output':
      return answered(JSON.stringify(rest.output ?? []))
    case 'apply_patch_call_output':
      return answered(markText(stringOr(rest.output, ''), rest.status === 'failed'))
  }
  const tool = toolOf(type)
  if (tool === undefined || !isClients(item) || typeof call_id !== 'string') return [item]
  task.ported.add(call_id)
  const fixed = Object.entries({ ...tool.fixed })
  const given = Object.entries(objectIn(item, tool.field)).filter(
    ([key, value]) =>
      value !== null && !fixed.some(([one, same]) => one === key && JSON.stringify(same) === JSON.stringify(value)),
  )
  const sent = nameOf(task, type.replace(/_call$/, ''), '')
  return [{ type: 'function_call', call_id, name: sent, arguments: JSON.stringify(Object.fromEntries(given)) }]
}
