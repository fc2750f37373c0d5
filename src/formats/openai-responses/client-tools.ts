/**
 * OpenAI Responses: tools that the model knows and that your program runs: a shell, a local shell, patches, and tools that take free text.
 *
 * @see https://platform.openai.com/docs/guides/tools-shell (read 2026-11)
 * @see https://platform.openai.com/docs/guides/tools-local-shell (read 2026-11)
 * @see https://platform.openai.com/docs/guides/tools-apply-patch (read 2026-11)
 * @see https://platform.openai.com/docs/guides/function-calling#custom-tools (read 2026-11)
 *
 * @module
 */
import type { JsonObject, JsonSchema, ToolDefinition } from '../../core/messages.ts'
import { clientItems, format } from './tables.ts'

/** The definition of a tool in the form of the wire. */
export type WireClientTool =
  | { type: 'shell'; environment?: { type: 'local'; skills?: { name: string; description: string; path: string }[] } }
  | { type: 'local_shell' }
  | { type: 'apply_patch' }
  | {
      type: 'custom'
      format?: { type: 'text' } | { type: 'grammar'; syntax: 'lark' | 'regex'; definition: string }
      defer_loading?: boolean
    }

/** The parameters of a tool, with the type of its arguments. */
export interface ClientParameters<Arguments> extends JsonSchema {
  /** Only a type: no value has this field. */
  readonly '~value'?: Arguments
}

/** The arguments of a `shell` call. */
export interface ShellArguments {
  /** Each is run by itself. The result has an output for each of them. */
  readonly commands: readonly string[]
  readonly timeout_ms?: number
  /** The longest output of all commands, in characters. */
  readonly max_output_length?: number
}

/** The output of one command of a `shell` call. `execute` returns a list of them. */
export interface ShellOutput {
  readonly stdout: string
  readonly stderr: string
  readonly outcome: { readonly type: 'exit'; readonly exit_code: number } | { readonly type: 'timeout' }
}

/** The arguments of a `local_shell` call: one command. */
export interface LocalShellArguments {
  readonly type: 'exec'
  /** The program and its arguments. */
  readonly command: readonly string[]
  readonly env: { readonly [name: string]: string }
  readonly timeout_ms?: number
  readonly user?: string
  readonly working_directory?: string
}

/** The arguments of an `apply_patch` call: one file. */
export type PatchArguments =
  | { readonly type: 'create_file' | 'update_file'; readonly path: string; readonly diff: string }
  | { readonly type: 'delete_file'; readonly path: string }

const text = { type: 'string' } as const
const texts = { type: 'array', items: text } as const
const count = { type: 'integer' } as const

/** The parameters of a `shell` tool. */
export const shellParameters: ClientParameters<ShellArguments> = {
  type: 'object',
  properties: { commands: texts, timeout_ms: count, max_output_length: count },
  required: ['commands'],
}

/** The parameters of a `local_shell` tool. */
export const localShellParameters: ClientParameters<LocalShellArguments> = {
  type: 'object',
  properties: { command: texts, timeout_ms: count, user: text, working_directory: text },
  required: ['command'],
}

/** The parameters of an `apply_patch` tool. */
export const patchParameters: ClientParameters<PatchArguments> = {
  type: 'object',
  properties: { type: { type: 'string', enum: ['create_file', 'update_file', 'delete_file'] }, path: text, diff: text },
  required: ['type', 'path'],
}

/**
 * Gives a tool in the form that OpenAI's models know: its calls and results have items of their own. For other hosts and formats it is a function, with
 * the description and the parameters of the tool.
 *
 * @example
 * ```ts
 * import { approval, generate, tool } from 'isoglot'
 * import { openaiResponses, providerTool, shellParameters } from 'isoglot/openai-responses'
 *
 * const shell = tool({
 *   name: 'shell',
 *   description: 'Runs commands',
 *   parameters: shellParameters,
 *   needsApproval: approval(),
 *   execute: ({ commands }) => Promise.all(commands.map(runInSandbox)),
 * })
 * const tools = [providerTool(shell, { type: 'shell', environment: { type: 'local' } })]
 * const { pending } = await generate({ model: openaiResponses('gpt-5.4', { apiKey }), prompt: 'Which files are here?', tools })
 * ```
 * @param tool Its name is the type of the value, unless that is `custom`.
 * @throws {TypeError} if its name is another one, since calls of the tool come under its type.
 */
export function providerTool<Given extends ToolDefinition>(tool: Given, value: WireClientTool): Given {
  if (Object.hasOwn(clientItems, `${value.type}_call`) && tool.name !== value.type) {
    throw new TypeError(
      `Cannot give the tool "${tool.name}": calls of this tool have the name "${value.type}", so it needs that name`,
    )
  }
  return { ...tool, providerData: { ...tool.providerData, [format]: value as JsonObject } }
}
