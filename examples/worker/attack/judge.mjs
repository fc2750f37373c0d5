/** Judges answers: their status and body. */
import { told } from './ask.mjs'
import { bearer } from './requests.mjs'
import { wires } from './wires.mjs'

/** Statuses that are correct. A refusal because of the rate limit is correct as well. */
export const among =
  (...statuses) =>
  ({ status }) =>
    statuses.includes(status) || status === 429

export const judge = (answers, isFine) =>
  answers.map((answer) => ({ what: answer.what, got: told(answer), ok: isFine(answer) }))

/** A closed connection also counts as a refusal. No answer does not. */
export const hungUp = ({ problem }) => ['EPIPE', 'ECONNRESET', 'HPE_INVALID_CONSTANT'].includes(problem)
export const refused = (answer) => answer.status >= 400 || hungUp(answer)

export const mine = ({ token, origin }) => ({ ...bearer(token), origin })
export const stranger = 'https://attack.isoglot.example'

/** Whether a host is this machine. */
export const isLoopback = (hostname) => ['127.0.0.1', 'localhost', '[::1]'].includes(hostname)

/** The format of checks that need only one. */
export const oneWire = ({ routes }) => routes[0] ?? Object.keys(wires)[0]
