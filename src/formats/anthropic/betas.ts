/**
 * Anthropic Messages: the beta features that other hosts of Claude take. A host refuses a whole request for a beta that it does not know.
 *
 * Betas are listed without their dates.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html (read 2026-11)
 * @see https://github.com/BerriAI/litellm/blob/main/litellm/anthropic_beta_headers_config.json (read 2026-12)
 * @see https://github.com/anthropics/claude-code/issues/34802
 * @see https://github.com/anthropics/claude-code/issues/49370
 *
 * @module
 */
import { lookup } from '../../core/json.ts'
import { format, isAdaptive } from './tables.ts'

const shared =
  'computer-use context-1m context-management compact dangerous-tool-use interleaved-thinking thinking-binding-controls thinking-display-updates tool-search-tool'
const bedrock = 'effort fine-grained-tool-streaming tool-examples'

/** The betas that a host takes, and no others. */
const taken: Readonly<Record<string, readonly string[]>> = {
  'bedrock-invoke': [shared, bedrock, 'mid-conversation-output-config mid-conversation-tool-changes'],
  'bedrock-anthropic': [
    shared,
    bedrock,
    'claude-code output-128k per-turn-control structured-outputs token-efficient-tools web-search',
  ],
  'vertex-anthropic': [shared, 'per-turn-control web-search'],
}

/** The betas that a host refuses. It takes all others, as Anthropic does. */
const refused: Readonly<Record<string, readonly string[]>> = {
  'azure-anthropic': [
    'advisor-tool compact fast-mode fine-grained-tool-streaming output-128k thinking-binding-controls token-efficient-tools',
  ],
}

/** The parts of a beta that other hosts have as betas of their own. */
const parts: Readonly<Record<string, readonly string[]>> = {
  'advanced-tool-use': ['tool-search-tool-2025-10-19', 'tool-examples-2025-10-29'],
}

/** The name without its date. */
export function stemOf(name: string): string {
  return name.replace(/[-_]\d{4}-?\d\d-?\d\d$/, '')
}

function holds(lists: readonly string[] | undefined, beta: string): boolean {
  return lists?.some((list) => list.split(' ').includes(stemOf(beta))) === true
}

/** The names under which a host takes a beta. Empty if it refuses it. */
export function namesAt(provider: string, model: string, beta: string): readonly string[] {
  if (provider === format) return [beta]
  const stem = stemOf(beta)
  // These models always think between calls. Bedrock refuses the beta for them, and elsewhere it changes nothing.
  if ((stem === 'interleaved-thinking' && isAdaptive(model)) || holds(lookup(refused, provider), beta)) return []
  const known = lookup(taken, provider)
  if (known === undefined || holds(known, beta)) return [beta]
  return (lookup(parts, stem) ?? []).filter((part) => holds(known, part))
}

/** Where a request has the fields of a beta: in its body, in its tools, or in its cache marks. */
export type BetaPlace = 'body' | 'tool' | 'mark'

/** The fields that a request may have only with a beta. */
export const fieldsOfBetas: Readonly<Record<string, readonly [BetaPlace, readonly string[]]>> = {
  'advanced-tool-use': ['tool', ['defer_loading', 'input_examples', 'allowed_callers']],
  'tool-search-tool': ['tool', ['defer_loading']],
  'tool-examples': ['tool', ['input_examples']],
  'context-management': ['body', ['context_management']],
  'fast-mode': ['body', ['speed']],
  'fine-grained-tool-streaming': ['tool', ['eager_input_streaming']],
  'mcp-client': ['body', ['mcp_servers']],
  'prompt-caching-scope': ['mark', ['scope']],
  skills: ['body', ['container']],
}

/** The fields of a beta. Most have none. */
export function fieldsOf(beta: string): readonly [BetaPlace, readonly string[]] {
  return lookup(fieldsOfBetas, stemOf(beta)) ?? ['body', []]
}
