/**
 * Messages from other libraries: `normalizeMessages` and `safeNormalizeMessages` read raw JSON of every format, and messages of LangChain
 * and the AI SDK. `toMessage` reads one message from a short form: a text, or a pair such as `['human', 'Hi']`.
 *
 * `isoglot/messages` reads messages that isoglot itself has stored.
 *
 * @module
 */
export { normalizeMessages, safeNormalizeMessages } from '../messages/normalize.ts'
export type { RoleAlias } from '../messages/roles.ts'
export { toMessage } from '../messages/to-message.ts'
