/**
 * Anthropic Messages: the beta features that other hosts of Claude take. A host refuses a whole request for a beta that it does not know.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html (read 2026-11)
 * @see https://github.com/BerriAI/litellm/blob/main/litellm/anthropic_beta_headers_config.json (read 2026-12)
 * @see https://github.com/anthropics/claude-code/issues/34802
 * @see https://github.com/anthropics/claude-code/issues/49370
 *
 * @module
 */
import { lookup } from '../../core/json.ts'
import { format, isAdaptive } from './words.ts'

/** Taken by Bedrock and Vertex AI. */
const shared =
  'computer-use-2025-01-24 computer-use-2025-11-24 context-1m-2025-08-07 context-management-2025-06-27 compact-2026-01-12 dangerous-tool-use-2026-09-03 interleaved-thinking-2025-05-14 thinking-binding-controls-2026-08-01 thinking-display-updates-2026-08-18 tool-search-tool-2025-10-19'
/** Taken by Bedrock. */
const bedrock = 'effort-2025-11-24 fine-grained-tool-streaming-2025-05-14 tool-examples-2025-10-29'

/** The betas that a host takes, and no others. */
const taken: Readonly<Record<string, readonly string[]>> = {
  'bedrock-invoke': [
    shared,
    bedrock,
    'mid-conversation-output-config-2026-07-01 mid-conversation-tool-changes-2026-07-01',
  ],
  'bedrock-anthropic': [
    shared,
    bedrock,
    'claude-code-20250219 output-128k-2025-02-19 per-turn-control-2026-07-01 structured-outputs-2025-11-13 token-efficient-tools-2025-02-19 web-search-2025-03-05',
  ],
  'vertex-anthropic': [shared, 'compact-2026-09-04 per-turn-control-2026-07-01 web-search-2025-03-05'],
}

/** The betas that a host refuses. It takes all others, as Anthropic does. */
const refused: Readonly<Record<string, readonly string[]>> = {
  'azure-anthropic': [
    'advisor-tool-2026-03-01 compact-2026-01-12 fast-mode-2026-02-01 fine-grained-tool-streaming-2025-05-14 output-128k-2025-02-19 thinking-binding-controls-2026-08-01 token-efficient-tools-2025-02-19',
  ],
}

const holds = (lists: readonly string[], beta: string): boolean => lists.some((list) => list.split(' ').includes(beta))

/** A beta that other hosts have under several names, each for a part of it. */
const parts: Readonly<Record<string, readonly string[]>> = {
  'advanced-tool-use-2025-11-20': ['tool-search-tool-2025-10-19', 'tool-examples-2025-10-29'],
}

/** The names under which a host takes a beta. Empty if it refuses it. */
export function namesAt(provider: string, model: string, beta: string): readonly string[] {
  if (provider === format) return [beta]
  // These models always think between calls. Bedrock refuses the beta for them, and elsewhere it changes nothing.
  if (beta.startsWith('interleaved-thinking-') && isAdaptive(model)) return []
  if (holds(lookup(refused, provider) ?? [], beta)) return []
  const known = lookup(taken, provider)
  if (known === undefined || holds(known, beta)) return [beta]
  return (lookup(parts, beta) ?? []).filter((part) => holds(known, part))
}

/** Where the fields of a beta are: in the body, in a definition of a tool, or in a cache mark. */
export interface BetaFields {
  readonly body?: readonly string[]
  readonly tool?: readonly string[]
  readonly mark?: readonly string[]
}

/** The fields that a request may have only with a beta, by its name without the date. */
export const fieldsOfBetas: Readonly<Record<string, BetaFields>> = {
  'advanced-tool-use': { tool: ['defer_loading', 'input_examples', 'allowed_callers'] },
  'tool-search-tool': { tool: ['defer_loading'] },
  'tool-examples': { tool: ['input_examples'] },
  'context-management': { body: ['context_management'] },
  'fast-mode': { body: ['speed'] },
  'fine-grained-tool-streaming': { tool: ['eager_input_streaming'] },
  'mcp-client': { body: ['mcp_servers'] },
  'prompt-caching-scope': { mark: ['scope'] },
  skills: { body: ['container'] },
}
