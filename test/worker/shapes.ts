/**
 * Requests that two servers could cut differently: of lengths, of chunks, of lines and names, of targets, and of where one ends and the
 * next begins. Each carries a second request that no server may ever read as a request.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112 (§2.2, §3, §5, §6, §7) and https://portswigger.net/web-security/request-smuggling (read 2026-11)
 */
import { host } from './front.ts'

export interface Shape {
  /** By the RFC: a request like any other, one that must not be answered, or one that may be taken for what it says. */
  readonly is: 'valid' | 'invalid' | 'tolerable'
  /** How many requests, good and bad, a strict parser finds in it. */
  readonly requests: number
  readonly bytes: Buffer
}

/** The text around the shape: a token, and the bodies of the first request and of the second, which must not arrive. */
export interface Around {
  readonly token: string
  readonly say: string
  readonly hide: string
}

/** By name; each is sent over a connection of its own. */
export function shapesFor(around: (name: string) => Around): [string, Shape][] {
  return [...lengths, ...codings, ...chunks, ...lines, ...targets, ...borders].map(
    ([name, is, write, requests = 1]) => [
      name,
      { is, requests, bytes: Buffer.from(write(messageFor(around(name))), 'latin1') },
    ],
  )
}

interface Message {
  /** The lines before the body, except for the empty one. */
  readonly head: string
  readonly body: string
  /** A whole request. */
  readonly hidden: string
  /** A whole request with a body of this length, or in one chunk. */
  plain(body?: string, more?: string): string
  chunked(chunks: string, more?: string): string
}

/** Latin-1, so that each character is a byte. */
function messageFor({ token, say, hide }: Around): Message {
  const fields = `Host: ${host}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`
  const bodyOf = (content: string) =>
    JSON.stringify({ model: 'openai-chat:gpt-5-mini', messages: [{ role: 'user', content }] })
  const head = `POST /v1/chat/completions HTTP/1.1\r\n${fields}`
  const body = bodyOf(say)
  const hiddenBody = bodyOf(hide)
  return {
    head,
    body,
    hidden: `${head}Content-Length: ${hiddenBody.length}\r\n\r\n${hiddenBody}`,
    plain: (text = body, more = '') => `${head}${more}Content-Length: ${text.length}\r\n\r\n${text}`,
    chunked: (text, more = '') => `${head}${more}Transfer-Encoding: chunked\r\n\r\n${text}`,
  }
}

/** Name, what becomes of it, how it is written, and how many requests it holds. */
type Writing = readonly [string, Shape['is'], (message: Message) => string, number?]

const size = (text: string) => text.length.toString(16)
const oneChunk = (text: string) => `${size(text)}\r\n${text}\r\n0\r\n\r\n`

/** Two lengths: the chunks end where the hidden request begins, the number does not. */
const clAndTe =
  (coding: string, order: 'length first' | 'coding first' = 'length first') =>
  ({ head, body, hidden }: Message) => {
    const payload = `${oneChunk(body)}${hidden}`
    const length = `Content-Length: ${payload.length}\r\n`
    return `${head}${order === 'length first' ? length + coding : coding + length}\r\n${payload}`
  }

/** A number that says something else than the body has. */
const numbered =
  (line: (length: number) => string) =>
  ({ head, body, hidden }: Message) =>
    `${head}${line(body.length)}\r\n${body}${hidden}`

const lengths: Writing[] = [
  ['a length, then chunks', 'invalid', clAndTe('Transfer-Encoding: chunked\r\n')],
  ['chunks, then a length', 'invalid', clAndTe('Transfer-Encoding: chunked\r\n', 'coding first')],
  [
    'chunks with a length that ends in the first of them',
    'invalid',
    ({ head, hidden }) => `${head}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n${oneChunk(hidden)}`,
  ],
  ['two lengths', 'invalid', numbered((n) => `Content-Length: ${n}\r\nContent-Length: ${n + 9}\r\n`)],
  ['two lengths, nothing first', 'invalid', numbered((n) => `Content-Length: 0\r\nContent-Length: ${n}\r\n`)],
  ['the same length twice', 'invalid', numbered((n) => `Content-Length: ${n}\r\nContent-Length: ${n}\r\n`)],
  ['a list of lengths', 'invalid', numbered((n) => `Content-Length: ${n}, ${n}\r\n`)],
  ['a length with a plus', 'invalid', numbered((n) => `Content-Length: +${n}\r\n`)],
  ['a length below nothing', 'invalid', numbered((n) => `Content-Length: -${n}\r\n`)],
  ['a length in hexadecimal', 'invalid', numbered((n) => `Content-Length: 0x${n.toString(16)}\r\n`)],
  ['a length with a blank in it', 'invalid', numbered((n) => `Content-Length: ${n} 0\r\n`)],
  ['a length beyond 64 bits', 'invalid', numbered((n) => `Content-Length: ${2n ** 64n + BigInt(n)}\r\n`)],
  ['a length with a point', 'invalid', numbered((n) => `Content-Length: ${n}.0\r\n`)],
  ['an empty length', 'invalid', numbered(() => 'Content-Length:\r\n')],
  [
    'another length under a name with an underscore',
    'valid',
    ({ plain }) => plain(undefined, 'Content_Length: 0\r\nTransfer_Encoding: chunked\r\n'),
  ],
]

const codings: Writing[] = [
  ['a coding with another name', 'invalid', clAndTe('Transfer-Encoding: xchunked\r\n')],
  ['a blank before the colon', 'invalid', clAndTe('Transfer-Encoding : chunked\r\n')],
  ['a tab before the coding', 'invalid', clAndTe('Transfer-Encoding:\tchunked\r\n')],
  ['a vertical tab before the coding', 'invalid', clAndTe('Transfer-Encoding: \x0bchunked\r\n')],
  ['a coding in quotes', 'invalid', clAndTe('Transfer-Encoding: "chunked"\r\n')],
  ['a coding on the next line', 'invalid', clAndTe('Transfer-Encoding:\r\n chunked\r\n')],
  ['a second coding', 'invalid', clAndTe('Transfer-Encoding: chunked, identity\r\n')],
  ['a coding before it', 'invalid', clAndTe('Transfer-Encoding: identity, chunked\r\n')],
  ['a coding of a second line', 'invalid', clAndTe('Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n')],
  ['chunked twice', 'invalid', clAndTe('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n')],
  ['a control character in the name', 'invalid', clAndTe('Transfer-Encoding\x01: chunked\r\n')],
  ['the name behind a bare line feed', 'invalid', clAndTe('X-Other: x\nTransfer-Encoding: chunked\r\n')],
  ['the name behind a bare carriage return', 'invalid', clAndTe('X-Other: x\rTransfer-Encoding: chunked\r\n')],
  [
    'chunks in HTTP/1.0',
    'invalid',
    ({ chunked, body, hidden }) => chunked(oneChunk(body) + hidden).replace('HTTP/1.1', 'HTTP/1.0'),
  ],
]

const chunks: Writing[] = [
  ['a size beyond 64 bits', 'invalid', ({ chunked, body }) => chunked(`1${'0'.repeat(16)}${oneChunk(body)}`)],
  ['a size below nothing', 'invalid', ({ chunked, hidden }) => chunked(`-1\r\n${hidden}\r\n0\r\n\r\n`)],
  ['a size with 0x', 'invalid', ({ chunked, body, hidden }) => chunked(`0x${oneChunk(body)}${hidden}`)],
  ['a size with a plus', 'invalid', ({ chunked, body, hidden }) => chunked(`+${oneChunk(body)}${hidden}`)],
  ['a size with an underscore', 'invalid', ({ chunked, body, hidden }) => chunked(`1_${oneChunk(body)}${hidden}`)],
  ['an empty size', 'invalid', ({ chunked, hidden }) => chunked(`\r\n${hidden}\r\n0\r\n\r\n`)],
  ['a size with leading zeros', 'valid', ({ chunked, body }) => chunked(`000000${oneChunk(body)}`)],
  ['bytes behind a chunk', 'invalid', ({ chunked, body }) => chunked(`${size(body)}\r\n${body}xx0\r\n\r\n`)],
  [
    'a chunk without a line end',
    'invalid',
    ({ chunked, body, hidden }) => chunked(`${size(body)}\r\n${body}0\r\n\r\n${hidden}`),
  ],
  ['bare line feeds between chunks', 'tolerable', ({ chunked, body }) => chunked(`${size(body)}\n${body}\n0\n\n`)],
  [
    'an extension that holds a chunk',
    'tolerable',
    ({ chunked, body, hidden }) => chunked(`${size(body)};x="\n${body}\r\n0\r\n\r\n"${hidden}`),
    2,
  ],
  [
    'a bare carriage return in a size',
    'invalid',
    ({ chunked, body, hidden }) => chunked(`${size(body)}\rx\n${body}\r\n0\r\n\r\n${hidden}`),
  ],
  [
    'fields behind the last chunk',
    'valid',
    ({ chunked, body }) =>
      chunked(
        oneChunk(body).replace(
          /\r\n$/,
          'Content-Length: 5\r\nTransfer-Encoding: x\r\nHost: evil.example\r\nAuthorization: Bearer x\r\n\r\n',
        ),
      ),
  ],
  [
    'no empty line behind the last chunk',
    'tolerable',
    ({ chunked, body, hidden }) => chunked(oneChunk(body).slice(0, -2) + hidden),
    2,
  ],
]

const lines: Writing[] = [
  ['lines that end in a line feed alone', 'tolerable', ({ plain }) => plain().replaceAll('\r\n', '\n')],
  ['a folded line', 'invalid', ({ plain }) => plain(undefined, 'X-Folded: a\r\n b\r\n')],
  ['a folded first line', 'invalid', ({ plain }) => plain().replace('\r\nHost', '\r\n Host')],
  ['a NUL in a value', 'invalid', ({ plain }) => plain(undefined, 'X-Nul: a\0b\r\n')],
  ['a NUL in a name', 'invalid', ({ plain }) => plain(undefined, 'X-\0Nul: a\r\n')],
  ['a blank in a name', 'invalid', ({ plain }) => plain(undefined, 'X Blank: a\r\n')],
  ['no colon', 'tolerable', ({ plain }) => plain(undefined, 'X-Nothing\r\n')],
  ['no name', 'invalid', ({ plain }) => plain(undefined, ': a\r\n')],
  ['an empty line in front', 'valid', ({ plain }) => `\r\n${plain()}`],
]

const targets: Writing[] = [
  [
    'an absolute target of another host',
    'invalid',
    ({ plain }) => plain().replace('POST /', 'POST http://evil.example/'),
  ],
  ['another host', 'invalid', ({ plain }) => plain().replace(`Host: ${host}`, 'Host: evil.example')],
  ['two hosts', 'invalid', ({ plain }) => plain(undefined, 'Host: evil.example\r\n')],
  ['a host with a blank', 'invalid', ({ plain }) => plain().replace(`Host: ${host}`, `Host: ${host} evil.example`)],
  ['no host', 'invalid', ({ plain }) => plain().replace(`Host: ${host}\r\n`, '')],
  [
    'an absolute target of this host with another in the field',
    'valid',
    ({ plain }) => plain().replace('POST /', `POST http://${host}/`).replace(`Host: ${host}`, 'Host: evil.example'),
  ],
  [
    'line ends in the path, as percent and digits',
    'invalid',
    ({ plain, hidden }) => plain().replace('completions ', `completions%0d%0a%0d%0a${encodeURIComponent(hidden)} `),
  ],
  ['a blank in the path', 'invalid', ({ plain }) => plain().replace('completions ', 'completions /v1/models ')],
  ['CONNECT', 'invalid', ({ hidden }) => `CONNECT ${host}:443 HTTP/1.1\r\nHost: ${host}\r\n\r\n${hidden}`],
]

const borders: Writing[] = [
  ['a request as the body of another', 'invalid', ({ plain, hidden }) => plain(hidden)],
  ['a request in a chunk', 'invalid', ({ chunked, hidden }) => chunked(oneChunk(hidden))],
  ['a request as the body of a GET', 'invalid', ({ plain, hidden }) => plain(hidden).replace('POST', 'GET')],
  ['two requests at once', 'valid', ({ plain }) => plain() + plain(), 2],
  ['HTTP/0.9', 'invalid', ({ hidden }) => `GET /v1/chat/completions\r\n${hidden}`],
  ['HTTP/0.9 with another method', 'invalid', ({ hidden }) => `POST /v1/chat/completions\r\n${hidden}`],
  ['HTTP/2 as it begins', 'invalid', ({ hidden }) => `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${hidden}`],
  ['HTTP/2 as a word', 'invalid', ({ plain }) => plain().replace('HTTP/1.1', 'HTTP/2.0')],
  [
    'HTTP/2 by an upgrade',
    'valid',
    ({ plain }) =>
      plain(undefined, 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'),
  ],
  [
    'fields that the connection is told to drop',
    'valid',
    ({ plain }) => plain(undefined, 'Connection: keep-alive, content-length, authorization, host\r\n'),
  ],
  ['a request for leave to go on', 'valid', ({ plain }) => plain(undefined, 'Expect: 100-continue\r\n')],
]
