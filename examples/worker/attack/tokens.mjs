/** Invalid tokens, forged by hand because no library would make them. */
import { createHmac } from 'node:crypto'

const encode = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const now = Math.floor(Date.now() / 1000)

/** Claims like those of the Worker's own tokens, so that only the signature is wrong. */
const claims = {
  iss: 'isoglot-worker',
  aud: 'isoglot-worker/v1',
  sub: '00000000-0000-4000-8000-000000000000',
  jti: '00000000-0000-4000-8000-000000000001',
  iat: now,
  exp: now + 600,
  scope: { models: ['*'], maxOutputTokens: 1_000_000 },
}

const sign = (header, payload, secret, hash = 'sha256') => {
  const signed = `${encode({ typ: 'session+jwt', ...header })}.${encode(payload)}`
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`
}

/** Secrets from examples that people forget to replace. */
const weakSecrets = [
  'secret',
  'changeme',
  'password',
  'your-256-bit-secret',
  'a'.repeat(32),
  '0'.repeat(32),
  '\0'.repeat(32),
]

const unsigned = (alg, payload = claims) => `${encode({ alg, typ: 'session+jwt' })}.${encode(payload)}.`

const forged = [
  ['no token', {}],
  ...Object.entries({
    garbage: 'garbage',
    'an empty one': '',
    'alg none': unsigned('none'),
    'alg NONE': unsigned('NONE'),
    'no signature': unsigned('HS256'),
    'alg RS256, signed as HS256': sign({ alg: 'RS256' }, claims, 'secret'),
    'alg HS512': sign({ alg: 'HS512' }, claims, 'secret', 'sha512'),
    'a kid that is a path': sign({ alg: 'HS256', kid: '../../dev/null' }, claims, ''),
    'a jwk of its own': sign({ alg: 'HS256', jwk: { kty: 'oct', k: encode('secret') } }, claims, 'secret'),
    'one of 10 KB': `${encode('x'.repeat(10_000))}.a.b`,
    'three dots': 'a.b.c.d',
  }).map(([what, token]) => [what, { authorization: `Bearer ${token}` }]),
  ...weakSecrets.map((secret) => [
    `one signed with "${secret.slice(0, 8).replaceAll('\0', '\\0')}…"`,
    { authorization: `Bearer ${sign({ alg: 'HS256' }, claims, secret)}` },
  ]),
  ['a user and password', { authorization: `Basic ${encode('admin:admin')}` }],
  ['a forged one as x-api-key', { 'x-api-key': unsigned('none') }],
  ['a forged one as x-goog-api-key', { 'x-goog-api-key': unsigned('none') }],
  ['a forged one as a cookie', { cookie: `session=${unsigned('none')}; token=${unsigned('none')}` }],
]

/** The fault of each token, and its headers. */
export const forgedTokens = forged

/** The same for a valid token: the Worker must accept it only unchanged, and only in its own place. */
export function tamperedTokens(token) {
  const [head, payload = '', signature = ''] = token.split('.')
  const said = parse(payload)
  const longer = encode({ ...said, exp: (said.exp ?? now) + 86_400 })
  const other = encode({ ...said, sub: claims.sub })
  return [
    ['its time prolonged', { authorization: `Bearer ${head}.${longer}.${signature}` }],
    ['another user in it', { authorization: `Bearer ${head}.${other}.${signature}` }],
    ['its signature cut', { authorization: `Bearer ${head}.${payload}.${signature.slice(0, -4)}` }],
    ['its signature gone', { authorization: `Bearer ${head}.${payload}.` }],
    ['alg none over its claims', { authorization: `Bearer ${unsigned('none', said)}` }],
    ['another scheme', { authorization: `Basic ${token}` }],
    [
      'twice',
      [
        ['authorization', `Bearer ${token}`],
        ['authorization', `Bearer ${token}`],
      ],
    ],
    ['as a cookie', { cookie: `session=${token}; token=${token}; authorization=${token}` }],
  ]
}

/** The claims of a token; `undefined` if it is not a token. */
export function claimsOf(token) {
  return parse(token?.split('.')[1] ?? '')
}

function parse(payload) {
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString()) ?? {}
  } catch {
    return {}
  }
}
