/**
 * OpenAI Responses, the tools that OpenAI runs itself: Python in a container.
 *
 * @see https://platform.openai.com/docs/guides/tools-code-interpreter (read 2026-11)
 *
 * @module
 */

import { compact } from '../../../core/lookup.ts'
import type { HostedTool } from '../../../kit/hosted-tool.ts'
import { hosted } from './hosted.ts'

/** The sites that code may reach: none, or these, with secrets that are added to requests to them. */
export type NetworkPolicy =
  | 'disabled'
  | {
      readonly allowedDomains: readonly string[]
      /** Keys that the code uses by `name` and never sees. If you print the tool, you print them. */
      readonly domainSecrets?: readonly { readonly domain: string; readonly name: string; readonly value: string }[]
    }

/** A container that is made for the answer. */
export interface ContainerOptions {
  /** Uploaded files to put into it. Default: none. */
  readonly fileIds?: readonly string[]
  /** In gigabytes. Default `1g`. */
  readonly memoryLimit?: '1g' | '4g' | '16g' | '64g'
  /** Default: the provider's. */
  readonly network?: NetworkPolicy
}

/** Options of {@link codeInterpreter}. */
export interface CodeInterpreterOptions {
  /** The id of one that is there, or what a new one is to be like. Default: a new one. */
  readonly container?: string | ContainerOptions
}

type WireNetworkPolicy =
  | { type: 'disabled' }
  | { type: 'allowlist'; allowed_domains: string[]; domain_secrets?: { domain: string; name: string; value: string }[] }
type WireContainer = {
  type: 'auto'
  file_ids?: string[]
  memory_limit?: '1g' | '4g' | '16g' | '64g'
  network_policy?: WireNetworkPolicy
}

/** A code interpreter, as the wire has it. */
export type WireCodeInterpreter = { type: 'code_interpreter'; container: string | WireContainer }

/**
 * Lets the model run Python in a container of OpenAI's.
 */
export function codeInterpreter(
  options: CodeInterpreterOptions = {},
): HostedTool<'openai-responses', WireCodeInterpreter> {
  const { container = {} } = options
  return hosted({
    type: 'code_interpreter',
    container: typeof container === 'string' ? container : encodeContainer(container),
  })
}

function encodeContainer({ fileIds, memoryLimit, network }: ContainerOptions): WireContainer {
  return {
    type: 'auto',
    ...compact({
      file_ids: fileIds && [...fileIds],
      memory_limit: memoryLimit,
      network_policy: network && encodeNetwork(network),
    }),
  }
}

function encodeNetwork(policy: NetworkPolicy): WireNetworkPolicy {
  if (policy === 'disabled') return { type: 'disabled' }
  const { allowedDomains, domainSecrets } = policy
  return {
    type: 'allowlist',
    allowed_domains: [...allowedDomains],
    ...compact({ domain_secrets: domainSecrets?.map((secret) => ({ ...secret })) }),
  }
}
