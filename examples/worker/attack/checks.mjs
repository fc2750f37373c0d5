/**
 * Checks of a Worker on the internet that are possible from outside. Each check sends requests and returns its findings: a list of
 * `{ what, got, ok }`. The numbers are those of the Worker's safety review.
 */
import { trySelfTest } from './as-operator.mjs'
import {
  tryAddresses,
  tryDead,
  tryDear,
  tryDocuments,
  tryNetworkRate,
  tryOthers,
  trySize,
  tryUserRate,
} from './as-payer.mjs'
import { seeHeaders, seeKeys } from './as-reader.mjs'
import { tryHeaders, tryHosts, tryMethods, tryPaths, tryRedirects } from './as-scanner.mjs'
import { tryDemonstration, tryOrigins, tryPreflights, trySimplePosts } from './as-site.mjs'
import {
  askForTokens,
  compareRefusals,
  findRoutes,
  guessLogin,
  seeToken,
  seeTransport,
  tryAdmin,
  tryElsewhere,
  tryForged,
  tryTampered,
  tryTokenInAddress,
} from './as-stranger.mjs'
import { tryBodies, tryFields, tryModels, tryStreams } from './as-user.mjs'

export const checks = [
  {
    id: 'C2',
    name: 'it is not open to everybody who listens on the way',
    expected: 'https, or loopback',
    run: seeTransport,
  },
  { id: 'W2', name: 'it is configured', expected: 'no 503', run: findRoutes },
  { id: 'W1', name: 'forged tokens open nothing', expected: '401', run: tryForged },
  { id: 'W1', name: 'every refusal of a token reads the same', expected: 'one text', run: compareRefusals },
  { id: 'W1', name: 'a token in the address opens nothing', expected: '401', needs: 'token', run: tryTokenInAddress },
  { id: 'W1', name: 'a good token that was changed opens nothing', expected: '401', needs: 'token', run: tryTampered },
  {
    id: 'W1',
    name: 'a token of one page is good in no other place',
    expected: '401',
    needs: 'token',
    run: tryElsewhere,
  },
  {
    id: 'C2',
    name: 'tokens are given for minutes, and to be kept nowhere',
    expected: '900 s at most',
    needs: 'minted',
    run: seeToken,
  },
  { id: 'W25', name: 'tokens are not given to who does not say where from', expected: '400 to 405', run: askForTokens },
  { id: 'W25', name: 'a guess opens no session', expected: '400 to 404, or 503', run: guessLogin },
  { id: 'W25', name: 'pages on loopback are given no token', expected: '400 to 404', run: tryDemonstration },
  { id: 'W3', name: 'other sites are turned away', expected: '403', run: tryOrigins },
  { id: 'W3', name: 'other sites are allowed nothing in advance', expected: 'no permission', run: tryPreflights },
  { id: 'W3', name: 'a post without a preflight is turned away', expected: '401, 403 or 415', run: trySimplePosts },
  {
    id: 'W4',
    name: 'bodies are limited: size, depth, coding',
    expected: '400, 413 or 415',
    needs: 'token',
    run: tryBodies,
  },
  {
    id: 'W4',
    name: 'a body that is valid except for its size is refused',
    expected: '413',
    needs: 'token',
    run: trySize,
  },
  {
    id: 'W6',
    name: 'what costs by another meter, or is kept, is refused',
    expected: '400, 403 or 422',
    needs: 'token',
    run: tryDear,
  },
  {
    id: 'W6',
    name: 'a picture leads to no private address',
    expected: '400, 403 or 422',
    needs: 'token',
    run: tryAddresses,
  },
  {
    id: 'C1',
    name: 'a file with hidden pages is refused',
    expected: '400, 403 or 422',
    needs: 'token',
    run: tryDocuments,
  },
  { id: 'W1', name: 'dead tokens open nothing', expected: '401', needs: 'deadTokens', run: tryDead },
  {
    id: 'W24',
    name: 'what one user began is not there for another',
    expected: '404',
    needs: 'otherToken',
    run: tryOthers,
  },
  {
    id: 'W5',
    name: 'models that are not in the table are not asked',
    expected: '400, 403 or 404',
    needs: 'token',
    run: tryModels,
  },
  {
    id: 'W6',
    name: 'nothing in a body chooses the destination',
    expected: '400, 403 or 404',
    needs: 'token',
    run: tryFields,
  },
  { id: 'W7', name: 'nothing in a header opens anything, or comes back', expected: '401', run: tryHeaders },
  { id: 'W9', name: 'nothing sends a client elsewhere', expected: 'no redirect', run: tryRedirects },
  { id: 'W10', name: 'answers do not reveal the providers', expected: 'fixed headers', run: seeHeaders },
  { id: 'W24', name: 'streams of others are not there', expected: '404', needs: 'token', run: tryStreams },
  { id: 'W27', name: 'other methods are refused', expected: '404 or 405', run: tryMethods },
  { id: 'W27', name: 'odd paths lead nowhere', expected: 'refused', run: tryPaths },
  { id: 'W27', name: 'Host decides nothing', expected: 'refused', run: tryHosts },
  { id: 'W27', name: "the operator's view is closed", expected: '401 or 404', run: tryAdmin },
  {
    id: 'C20',
    name: 'the platform is as the Worker counts on',
    expected: 'every row ok',
    needs: 'adminToken',
    run: trySelfTest,
  },
  // Late, since they leave nothing of the minute to the others.
  { id: 'W17', name: 'the requests of a user are counted', expected: '429', needs: 'perUser', run: tryUserRate },
  {
    id: 'W17',
    name: 'the requests of a network are counted',
    expected: '429',
    needs: 'perNetwork',
    run: tryNetworkRate,
  },
  { id: 'W8', name: 'no answer, and no file, holds a key', expected: 'none', run: seeKeys },
]

/**
 * Properties that cannot be checked from outside, listed because a table without failures does not prove them. The tests of the Worker
 * check them.
 */
export const unseen = [
  'budgets, leases, answers at once, and the output limit of a token: to see them costs money',
  'whether a token for another audience, of another issuer or type, or that is too old is refused: only the operator can sign one',
  'revoked users, and tokens that have expired, unless you give it such tokens',
  'counters of requests, unless you give it their limits; a token of one page in another, unless you give it such a token',
  'what goes on to the provider: headers of the client, redirects that are followed, words of the provider that come back',
  'a second check after another one, such as the declared length of a body, whose bytes are counted too',
  'whether a client that leaves is charged, and whether an answer that is cut off ends in an error',
  'how an object of a kept answer is named, after the user check',
]
