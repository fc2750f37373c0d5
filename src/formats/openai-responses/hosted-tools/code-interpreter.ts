/**
 * OpenAI Responses, a tool that OpenAI runs: the code interpreter, which runs Python in a container.
 *
 * @see https://platform.openai.com/docs/guides/tools-code-interpreter (read 2026-11)
 *
 * @module
 */

import { compact } from '../../../core/lookup.ts'
import type { HostedTool } from '../../../kit/hosted-tool.ts'
import { hosted } from './hosted.ts'

/** The domains that the code may reach: none, or those listed. The provider adds the secrets to requests to their domains. */
export type NetworkPolicy =
  | 'disabled'
  | {
      readonly allowedDomains: readonly string[]
      /** Secrets that the code uses by `name`. It never sees their values. If you print the tool, you print them. */
      readonly domainSecrets?: readonly { readonly domain: string; readonly name: string; readonly value: string }[]
    }

/** Options of a new container, which the provider creates for the answer. */
export interface ContainerOptions {
  /** The ids of uploaded files that the container has. Default: none. */
  readonly fileIds?: readonly string[]
  /** The memory of the container, in gigabytes. Default `1g`. */
  readonly memoryLimit?: '1g' | '4g' | '16g' | '64g'
  /** The network access of the code. Default: the provider's. */
  readonly network?: NetworkPolicy
}

/** Options of {@link codeInterpreter}. */
export interface CodeInterpreterOptions {
  /** The id of an existing container, or the options of a new one. Default: a new one. */
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

/** A code interpreter in the form of the wire. */
export type WireCodeInterpreter = { type: 'code_interpreter'; container: string | WireContainer }

/**
 * Lets the model run Python in a container at OpenAI.
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
