/**
 * Tools by constrained decoding: the API has no calls that an application runs, so the answer is JSON of one of two forms, text or calls.
 * If browsers get real tool calls, only this file and `read-answer.ts` need to change.
 *
 * @see https://github.com/webmachinelearning/prompt-api/issues/159
 * @module
 */
import { compact } from '../core/json.ts'
import type { JsonObject, JsonSchema, RequestOptions, ToolChoice, ToolDefinition } from '../core/messages.ts'

/** How the text of an answer is read: unchanged, or as JSON with `text`, `calls` or `answer` in it. */
export type AnswerForm = 'plain' | 'envelope'

/** The constraint for the answer. */
export interface Constraint {
  readonly form: AnswerForm
  readonly schema?: JsonSchema
  /** The same constraint without the schemas of arguments, for a browser that does not support a feature of these schemas. */
  readonly looseSchema?: JsonSchema
}

/** The maximum number of calls in one answer. */
const maxCalls = 4

/** The constraint for a request, from its tools and its response format. */
export function constrain(tools: readonly ToolDefinition[], options: RequestOptions): Constraint {
  const { responseFormat, toolChoice, parallelToolCalls } = options
  const wanted = responseFormat && (responseFormat.schema ?? { type: 'object' })
  if (tools.length === 0) return { form: 'plain', ...compact({ schema: wanted }) }
  const said = wanted ? envelope('answer', wanted) : envelope('text', { type: 'string' })
  const most = parallelToolCalls === false || isNamed(toolChoice) ? 1 : maxCalls
  const calls = (argumentsOf: (tool: ToolDefinition) => JsonSchema) =>
    envelope('calls', {
      type: 'array',
      minItems: 1,
      maxItems: most,
      items: { anyOf: tools.map((tool) => callOf(tool, argumentsOf(tool))) },
    })
  const whole = (called: JsonSchema) => (isRequired(toolChoice) ? called : { anyOf: [said, called] })
  return {
    form: 'envelope',
    schema: whole(calls(({ parameters = { type: 'object', properties: {} } }) => parameters)),
    looseSchema: whole(calls(() => ({ type: 'object' }))),
  }
}

/** Without `additionalProperties`, a decoder may write more and more keys and never close the object. */
function envelope(name: string, schema: JsonSchema): JsonSchema {
  return { type: 'object', additionalProperties: false, required: [name], properties: { [name]: schema } }
}

function callOf({ name }: ToolDefinition, args: JsonSchema): JsonSchema {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['name', 'arguments'],
    properties: { name: { enum: [name] }, arguments: args },
  }
}

function isNamed(choice: ToolChoice | undefined): boolean {
  return typeof choice === 'object' && 'name' in choice
}

function isRequired(choice: ToolChoice | undefined): boolean {
  return typeof choice === 'object' ? 'name' in choice || choice.mode === 'required' : choice === 'required'
}

/** The description of the tools for the system text: the browser does not show the schema itself to the model. */
export function describeTools(tools: readonly ToolDefinition[]): string {
  const lines = tools.map(({ name, description = '', parameters = {} }) => {
    return `- ${name}: ${description} Arguments: ${JSON.stringify(parameters)}`
  })
  return `You can call these tools:
${lines.join('\n')}
Answer with JSON: {"text": "…"} to say something, or {"calls": [{"name": "…", "arguments": {…}}]} to call tools. Their results come as {"results": […]}.`
}

/** The calls of the history, in the form in which the model writes them. */
export function callsText(calls: readonly { readonly name: string; readonly arguments: JsonObject }[]): string {
  return JSON.stringify({ calls: calls.map(({ name, arguments: args }) => ({ name, arguments: args })) })
}
