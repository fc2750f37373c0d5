/** Judges answers: their status and body. */
import { told } from './ask.mjs'
import { bearer, wires } from './requests.mjs'

/** Answers that are fine by their status; an answer refused only for its rate is fine as well. */
export const among =
  (...statuses) =>
  ({ status }) =>
    statuses.includes(status) || status === 429

export const judge = (answers, isFine) =>
  answers.map((answer) => ({ what: answer.what, got: told(answer), ok: isFine(answer) }))

/** A closed connection is a refusal as well; silence is not. */
export const hungUp = ({ problem }) => ['EPIPE', 'ECONNRESET', 'HPE_INVALID_CONSTANT'].includes(problem)
export const refused = (answer) => answer.status >= 400 || hungUp(answer)

export const mine = ({ token, origin }) => ({ ...bearer(token), origin })
export const stranger = 'https://attack.isoglot.example'

/** Whether a host is this machine. */
export const isLoopback = (hostname) => ['127.0.0.1', 'localhost', '[::1]'].includes(hostname)

/** Where the checks ask that need but one wire. */
export const oneWire = ({ routes }) => routes[0] ?? Object.keys(wires)[0]
