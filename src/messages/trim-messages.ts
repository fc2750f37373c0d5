/** A conversation cut to a length. @module */

import { checkOptions } from '../core/checks.ts'
import { toolCallsOf } from '../core/content.ts'
import { findLastIndex } from '../core/json.ts'
import type { Message, Role } from '../core/messages.ts'
import { countTokensApproximately } from './count-tokens-approximately.ts'
import { answersOf, countInstructions, groupsOf } from './groups.ts'
import { type MessageLike, messagesOf } from './message-like.ts'
import { counted, longestHead, mostThat } from './pieces.ts'
import { checkRoles } from './roles.ts'

/** The options of `trimMessages`: how much of a conversation stays, and which end of it. */
export interface TrimOptions {
  /** In what `countTokens` counts. */
  readonly maxTokens: number
  /** Which end stays: the `last` messages (the default) or the `first`. */
  readonly strategy?: 'last' | 'first'
  /** Default: {@link countTokensApproximately}, 4 characters a token. It must not fall when a message is added. */
  readonly countTokens?: (messages: readonly Message[]) => number
  /** Keep the instructions at the head, whatever they count. Default true; without effect on `first`, where they come first. */
  readonly keepInstructions?: boolean
  /**
   * Of `last`: keep the first message of the user, whatever it counts, so that a history of many tool rounds still has its task. Where it
   * stands at the head, `startOn: 'user'` is fulfilled. Default false.
   */
  readonly keepFirstUser?: boolean
  /** Of `last`: begin with a message of one of these roles. */
  readonly startOn?: Role | readonly Role[]
  /** End with a message of one of these roles. */
  readonly endOn?: Role | readonly Role[]
  /** Cut the text of the first message that does not fit, rather than leave it out. Default false. */
  readonly allowPartial?: boolean
}

/**
 * Returns the part of a conversation that fits. A call stays or goes with its results, and reasoning with the turn after it. A result
 * without a call is removed. So a valid history stays valid.
 *
 * Returns only the instructions, or `[]`, if not even the last of these groups fits or nothing that fits begins as `startOn` says. A
 * provider refuses an empty history: raise `maxTokens`, or use `keepFirstUser`.
 *
 * @throws {TypeError} for an option of the wrong type, if `countTokens` does not return a number, and for messages in the form of another
 *   library: `normalizeMessages` reads those.
 */
export function trimMessages(messages: readonly MessageLike[], options: TrimOptions): Message[] {
  checkOptions('trimMessages', options)
  const { strategy = 'last' } = options
  const all = withoutStrays(messagesOf(messages))
  const keeps = strategy === 'last' && options.keepInstructions !== false
  const { countTokens = (list: readonly Message[]) => countTokensApproximately(list) } = options
  const count = (list: readonly Message[]) => counted(countTokens(list))
  const instructions = all.slice(0, keeps ? countInstructions(all) : 0)
  const endOn = rolesOf('endOn', options)
  const startOn = rolesOf('startOn', options)
  const first = all.findIndex(({ role }) => role === 'user')
  const keepsUser = strategy === 'last' && options.keepFirstUser === true && first >= 0
  const isWhole = startOn === undefined && keepsUser && count(all) <= options.maxTokens
  const head = keepsUser
    ? [...(isWhole ? all.slice(0, first) : instructions), ...all.slice(first, first + 1)]
    : instructions
  const rest = withoutStrays([...head, ...all.slice(keepsUser ? first + 1 : head.length)]).slice(head.length)
  const groups = endingOn(groupsOf(rest), endOn)
  const fits = (list: readonly Message[]) => count([...head, ...list]) <= options.maxTokens
  if (strategy === 'first') return endingOn(firstThatFit(groups, fits, options), endOn).flat()
  const kept = lastThatFit(groups, fits, options)
  return [...head, ...(keepsUser && startOn?.has('user') ? kept : startingOn(kept, startOn)).flat()]
}

type Groups = readonly (readonly Message[])[]
type Fits = (messages: readonly Message[]) => boolean

function firstThatFit(groups: Groups, fits: Fits, options: TrimOptions): Groups {
  const size = mostThat(groups.length, (taken) => fits(groups.slice(0, taken).flat()))
  const kept = groups.slice(0, size)
  const part = options.allowPartial ? partOf(groups[size], (piece) => fits([...kept.flat(), piece]), 'head') : []
  return [...kept, ...part]
}

function lastThatFit(groups: Groups, fits: Fits, options: TrimOptions): Groups {
  const size = mostThat(groups.length, (taken) => fits(groups.slice(groups.length - taken).flat()))
  const kept = groups.slice(groups.length - size)
  const next = groups[groups.length - size - 1]
  const part = options.allowPartial ? partOf(next, (piece) => fits([piece, ...kept.flat()]), 'tail') : []
  return [...part, ...kept]
}

/** As much of a message as fits, from its head or its tail; only of a message that is text and belongs to no call. */
function partOf(
  group: readonly Message[] | undefined,
  fits: (piece: Message) => boolean,
  from: 'head' | 'tail',
): Groups {
  const [message, ...others] = group ?? []
  if (message === undefined || others.length > 0 || typeof message.content !== 'string') return []
  const { content } = message
  const withText = (text: string): Message => ({ ...message, content: text })
  const text =
    from === 'head'
      ? longestHead(content, (piece) => fits(withText(piece)))
      : reversed(longestHead(reversed(content), (piece) => fits(withText(reversed(piece)))))
  return text.trim() === '' ? [] : [[withText(text)]]
}

/** By characters, so that no pair of surrogates is turned around. */
function reversed(text: string): string {
  return [...text].reverse().join('')
}

function rolesOf(name: 'startOn' | 'endOn', options: TrimOptions): ReadonlySet<Role> | undefined {
  const { [name]: given } = options
  if (given === undefined) return undefined
  const roles = typeof given === 'string' ? [given] : given
  checkRoles(roles, `Cannot trim messages: "${name}"`)
  return new Set(roles)
}

function startingOn(groups: Groups, roles: ReadonlySet<Role> | undefined): Groups {
  if (roles === undefined) return groups
  const start = groups.findIndex(([first]) => first !== undefined && roles.has(first.role))
  return start < 0 ? [] : groups.slice(start)
}

function endingOn(groups: Groups, roles: ReadonlySet<Role> | undefined): Groups {
  if (roles === undefined) return groups
  const end = findLastIndex(groups, (group) => roles.has(group.at(-1)?.role ?? 'system'))
  return groups.slice(0, end + 1)
}

function withoutStrays(messages: readonly Message[]): readonly Message[] {
  const called = new Set<string>()
  return messages.filter((message) => {
    for (const call of toolCallsOf(message)) called.add(call.id)
    return message.role !== 'tool' || answersOf(message).every((id) => called.has(id))
  })
}
