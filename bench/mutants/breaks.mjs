/**
 * The checks of the Worker, each removed once. A row has an expression (with the text before it if the expression occurs twice), its
 * replacement, the test files that must fail, and the check of `npm run attack` that must fail. A row without the last one cannot be seen from
 * outside. If two checks protect the same thing, only one of them is removed at a time.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** @param {string[]} tests @param {string} [seenBy] */
const row = (name, file, from, to, tests, seenBy) => ({ name, file, from, to, tests, seenBy })

/** Each row: its name, the file, the expression, its replacement, the tests that must fail, and the check of the attack. */
const breaks = [
  row(
    'an origin that is not listed',
    'session/origins',
    'origin === null ? !required : isAllowed(origin, request, config)',
    'true',
    ['refusals'],
    'other sites are turned away',
  ),
  row(
    'a token is good in another page',
    'session/session',
    "checkFrom(scope.origin, request, 'invalid_session')",
    'void 0',
    ['refusals'],
    'a token of one page is good in no other place',
  ),
  row(
    'any signature is good',
    'session/jwt',
    '!isGood',
    'false',
    ['refusals'],
    'a good token that was changed opens nothing',
  ),
  row('any type of token is good', 'session/jwt', 'header.typ !== typ', 'false', ['refusals']),
  row('a token never ends', 'session/session', 'read.exp <= now', 'false', ['refusals'], 'dead tokens open nothing'),
  row('a token may live for longer than 15 minutes', 'session/session', 'now - read.iat > lifetimeSeconds', 'false', [
    'refusals',
  ]),
  row(
    'a revoked user comes in',
    'session/session',
    'config.revoked.has(sub)',
    'false',
    ['refusals'],
    'dead tokens open nothing',
  ),
  row(
    'any login secret is good',
    'session/bearer',
    'one.reduce((difference, byte, at) => difference | (byte ^ (other[at] ?? 0)), 0) === 0',
    'true',
    ['refusals', 'admin'],
    'a guess opens no session',
  ),
  row(
    'any answer of Turnstile is good',
    'session/turnstile',
    'said.success !== true',
    'false',
    ['door'],
    'a guess opens no session',
  ),
  row(
    "a token permits the operator's other models",
    'answer',
    'caller.session.models.includes(id)',
    'true',
    ['door', 'policy'],
    'models that are not in the table are not asked',
  ),
  row("another user's answer is read", 'runs/runs', 'isEqual(given, expected)', 'true', ['run-owner', 'runs']),
  row('the user is not in the name of a kept answer', 'runs/runs', "['run', sub, stem]", "['run', stem]", [
    'run-owner',
    'runs',
  ]),
  row("a user's budget", 'accounts/ledger', 'ofUser > dailyBudget', 'false', ['user-account', 'leases']),
  row("the Worker's budget, in its own object", 'accounts/ledger', 'ofAll > totalDailyBudget', 'false', [
    'user-account',
    'leases',
  ]),
  row("the Worker's budget, in its leases", 'accounts/leases', 'need > left', 'false', ['leases']),
  row('answers at once', 'accounts/ledger', 'count >= liveStreams', 'false', ['user-account', 'spending']),
  row(
    'a request that is never settled is free',
    'accounts/ledger',
    "this.settle({ requestId, cost, inputTokens: 0, outputTokens: 0, outcome: 'unsettled', errorKind: 'unsettled' })",
    "this.settle({ requestId, cost: 0, inputTokens: 0, outputTokens: 0, outcome: 'unsettled', errorKind: 'unsettled' })",
    ['user-account', 'leases'],
  ),
  row('a request is settled twice', 'accounts/ledger', 'this.#live.delete(requestId)', 'undefined', [
    'user-account',
    'leases',
  ]),
  row(
    'a lease is given back twice',
    'accounts/lease',
    '{ ...lease, amount: lease.amount - returned, isOpen: isClosed ? 0 : 1 }',
    '{ ...lease, isOpen: isClosed ? 0 : 1 }',
    ['leases'],
  ),
  row('a figure that cannot be true is booked', 'accounts/spend', 'reportedOutput >= leastOutput', 'true', [
    'spending',
    'bounds',
  ]),
  row('an answer that was cut off is free', 'accounts/spend', 'attempts === 0', 'true', ['spending', 'bounds']),
  row(
    'a field that is not known goes on (n, store, tools of the provider)',
    'policy/permit',
    'result.success',
    'true',
    ['policy'],
    'what costs by another meter, or is kept, is refused',
  ),
  row(
    'an answer is stored at the provider',
    'policy/own-fields',
    'v.transform(() => false)',
    'v.transform((store) => store)',
    ['policy'],
  ),
  row(
    'a picture is fetched from a private address',
    'policy/public-url',
    '!privateIpv4.some((isPrivate) => isPrivate(a, b, c))',
    'true',
    ['policy'],
    'a picture leads to no private address',
  ),
  row(
    'a body of any length that it says',
    'gateway/body',
    "Number(request.headers.get('content-length')) > maxBodyBytes",
    'false',
    ['gateway/body', 'refusals'],
  ),
  row(
    'a body of any length that it has',
    'gateway/body',
    ['size += value.byteLength\n      if (', 'size > maxBodyBytes'],
    'false',
    ['gateway/body', 'refusals'],
    'a body that is valid except for its size is refused',
  ),
  row(
    'any output limit',
    'session/login',
    'Math.min(maxOutputTokens ?? most.maxOutputTokens, most.maxOutputTokens)',
    'maxOutputTokens ?? most.maxOutputTokens',
    ['door'],
  ),
  row(
    'too many requests of a user',
    'limits/limits',
    'await limit(counters?.perUser, sub)',
    'undefined',
    ['limits'],
    'the requests of a user are counted',
  ),
  row(
    'too many requests of a network',
    'limits/limits',
    "await limit(counters?.perNetwork, networkOf(request.headers.get('cf-connecting-ip') ?? 'nowhere'))",
    'undefined',
    ['limits'],
    'the requests of a network are counted',
  ),
  row(
    'a redirect is followed, with the key',
    'ask/transport',
    ['{ ...init, headers, redirect: ', "'manual'"],
    "'follow'",
    ['canary', 'upstream'],
  ),
  row('a key in what a provider says', 'gateway/scrub', 'found.length === 0', 'true', ['gateway/keys', 'keys']),
  row(
    'a key in an error of the Worker',
    'handler',
    'config.secrets.scrub(await answer.text())',
    'await answer.text()',
    ['create', 'keys'],
  ),
  row(
    'the admin token',
    'admin/admin',
    ['if (!(', 'await isOperator(request, setup)'],
    'true',
    ['admin'],
    "the operator's view is closed",
  ),
]

/**
 * The table as mutants of the source in `root`, and their tests in `tree`. @throws {Error} if an expression does not occur exactly once.
 */
export function findBreaks(root, tree) {
  return breaks.map(({ file: name, from: given, ...one }, at) => {
    const tests = one.tests.map((test) => ({
      file: join(tree, 'test', `${test.includes('/') ? '' : 'worker/'}${test}.test.ts`),
    }))
    const folder = /^(?:gateway|client|ask)\//.test(name) ? 'src' : 'src/worker'
    const file = `${folder}/${name}.ts`
    const text = readFileSync(join(root, file), 'utf8')
    const [context, from] = Array.isArray(given) ? given : ['', given]
    const found = text.indexOf(context + from)
    const start = found + context.length
    if (found < 0 || text.includes(context + from, found + 1))
      throw new Error(`Cannot break ${file}: ${from} is not there once`)
    const before = text.slice(0, start).split('\n')
    const opensStatement = before.at(-1).trim() === '' && !/[,([=?:&|]\s*$/.test(text.slice(0, start))
    return {
      ...one,
      number: at + 1,
      file,
      line: before.length,
      start,
      end: start + from.length,
      from,
      tests,
      opensStatement,
    }
  })
}
