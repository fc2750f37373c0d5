/**
 * `npm run attack -- URL`: attacks a Worker made with isoglot, deployed or on loopback. Prints a table, and fails if an attack succeeded.
 * It costs nothing, because every request must be refused.
 */
import { parseArgs } from 'node:util'
import { unseen } from './checks.mjs'
import { runChecks } from './run.mjs'

const help = `npm run attack -- URL       such as https://my-chat.example.workers.dev
      --origin https://…    an origin that it allows; default: the URL's own
      --token …             a token of a user, if it gives none to a page by itself
      --other-token …       one of another user, to ask for what the first began
      --expired …           one that has ended, or was revoked; may be repeated
      --max-body 1048576    its limit, if it is another
      --per-user 60         how many requests a user has in a minute: tries more, so that the user has none left
      --per-network 300     the same of your network
  With ADMIN_TOKEN in the environment, the operator's token, it asks for the self-test as well.`

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      origin: { type: 'string' },
      token: { type: 'string' },
      'other-token': { type: 'string' },
      expired: { type: 'string', multiple: true },
      'max-body': { type: 'string', default: '1048576' },
      'per-user': { type: 'string' },
      'per-network': { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  const [url] = positionals
  if (values.help || !url) console.log(help)
  else process.exitCode = await attack(url, values)
  if (!values.help && !url) process.exitCode = 2
} catch (error) {
  console.error(`Cannot attack: ${error.message}`)
  process.exitCode = 2
}

async function attack(url, values) {
  const { origin, token, 'other-token': otherToken, expired: deadTokens } = values
  // Not an option: a command line is for all to see.
  const { ADMIN_TOKEN: adminToken } = process.env
  const { rows, requests, seconds } = await runChecks(url, {
    origin,
    token,
    otherToken,
    deadTokens,
    maxBody: Number(values['max-body']),
    perUser: Number(values['per-user'] ?? 0),
    perNetwork: Number(values['per-network'] ?? 0),
    adminToken,
  })
  console.log(drawTable(rows))
  const count = (mark) => rows.filter((row) => row.mark === mark).length
  console.log(
    `${count('ok')} ok, ${count('FAILED')} failed, ${count('-')} not tried; ${requests} requests in ${seconds.toFixed(1)} s`,
  )
  console.log(`\nNot to be seen from outside:\n${unseen.map((what) => `  - ${what}`).join('\n')}`)
  return count('FAILED') > 0 ? 1 : 0
}

function drawTable(rows) {
  const head = { mark: '', id: '', name: 'check', expected: 'expected', got: 'got' }
  const columns = ['mark', 'id', 'name', 'expected']
  const widths = columns.map((column) => Math.max(...[head, ...rows].map((row) => row[column].length)))
  const draw = (row) => [...columns.map((column, at) => row[column].padEnd(widths[at])), row.got].join('  ')
  return ['', ...[head, ...rows].map(draw), ''].join('\n')
}
