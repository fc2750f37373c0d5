/**
 * Answers one request of a client whose token is good: the gateway, with this Worker's policy around it.
 *
 * @see design.md §7
 * @module
 */
import { anthropic } from '../../src/codecs/anthropic/index.ts'
import { openaiChat } from '../../src/codecs/openai-chat/index.ts'
import { createGateway, type ExecutionContextLike, type Gateway } from '../../src/gateway/index.ts'
import { type Config, type Env, readConfig } from './config.ts'
import { Refusal } from './refusal.ts'
import type { Session } from './session.ts'

const gateways = new WeakMap<Config, Gateway>()

/** Answers in the wire of the request's path. The session has been checked; what it permits is held to here. */
export function answerModel(
  request: Request,
  session: Session,
  env: Env,
  ctx: ExecutionContextLike,
): Promise<Response> {
  void session
  const config = readConfig(env)
  if (!('models' in config)) throw new Refusal('misconfigured')
  return gatewayOf(config).fetch(request, env, ctx)
}

function gatewayOf(config: Config): Gateway {
  const known = gateways.get(config)
  if (known) return known
  const models = config.models.map(({ wire, name, apiKey, url }) => {
    const baseUrl = url.replace(/\/(chat\/completions|messages)$/, '')
    return [name, (wire === 'anthropic' ? anthropic : openaiChat)(name, { apiKey, baseUrl })] as const
  })
  const gateway = createGateway({ models: Object.fromEntries(models) })
  gateways.set(config, gateway)
  return gateway
}
