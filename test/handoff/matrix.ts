/** Every history continued on every target, as the client does it: prepared, then encoded. Shared by the tests and the report. */
import type { ClientCodec, EncodedRequest } from '../../src/core/codec.ts'
import type { Context, Loss, RequestOptions } from '../../src/core/messages.ts'
import { model as modelByName, providerNames } from '../../src/models.ts'
import { facts } from '../formats/index.ts'
import { wires as formatNames, type Wire } from '../support/answers.ts'
import { formats } from '../support/formats.ts'
import { goOn, type History, type Moment } from './histories.ts'

export interface Target {
  /** Such as `openai-chat (groq)`, or only the format where the provider is its own. */
  readonly name: string
  readonly client: ClientCodec
}

/** Every codec and dialect: those of the recordings, and those that have a name of their own. */
export const targets: readonly Target[] = listTargets()

function listTargets(): readonly Target[] {
  const named = providerNames.map(
    (name) => modelByName(`${name}:any`, { baseUrl: 'http://localhost', resource: 'any' }).codec,
  )
  const byName = new Map<string, ClientCodec>()
  for (const client of [...formats.map((format) => format.client), ...named]) {
    const name = targetName(client)
    if (!byName.has(name)) byName.set(name, client)
  }
  return [...byName].map(([name, client]) => ({ name, client }))
}

export function targetName({ name, provider }: Pick<ClientCodec, 'name' | 'provider'>): string {
  return facts[name as Wire].owner === provider ? name : `${name} (${provider})`
}

/** The wires at their own providers. */
export const wires: readonly Target[] = targets.filter(({ name }) => (formatNames as readonly string[]).includes(name))

/** The model that goes on: the same one at home, elsewhere one of the target's. */
export function modelFor(history: History, { client }: Target): string {
  return isHome(history, client) && history.model !== '' ? history.model : facts[client.name as Wire].models[0]
}

export function isHome({ format, provider }: History, client: ClientCodec): boolean {
  return client.name === format && client.provider === provider
}

/** Losses are reported, and none of them is an error: the body has to be valid whatever is missing in it. */
export function handOver(
  context: Context,
  { client }: Target,
  model: string,
  asked: Partial<RequestOptions> = {},
): EncodedRequest {
  return client.encodeRequest(context, { maxTokens: 1000, stream: true, ...asked, model, strict: false })
}

/** The problems of a hand-over's body, and its losses. */
export interface Judged {
  readonly findings: readonly string[]
  readonly losses: readonly Loss[]
}

const judged = new Map<string, WeakMap<History, Judged>>()

/** Hands a history over once: the test and the report use the same results. */
export function judge(history: History, moment: Moment, target: Target): Judged {
  const key = `${target.name}, ${moment}`
  const known = judged.get(key) ?? new WeakMap<History, Judged>()
  judged.set(key, known)
  const before = known.get(history)
  if (before !== undefined) return before
  const { validatorOf } = facts[target.client.name as Wire]
  const { body, losses } = handOver(goOn(history, moment), target, modelFor(history, target))
  const one = { findings: validatorOf(target.client.provider)(body), losses }
  known.set(history, one)
  return one
}

/** Dialects share the code of their format, so each gets a third of the conversations, its neighbours the others. */
export const inShares = targets.map(({ name, client }, turn) => ({
  name,
  client,
  share: wires.some((wire) => wire.name === name) ? 1 : 3,
  turn,
}))
