/** The tests whose model cannot be behind a server, or must differ there. Each of them must fail in the project `behind`. @module */

/** Why a test differs. */
const reasons = {
  words:
    'the page gets a sentence of isoglot: the one of the provider, or of the network, may quote a key or an address',
  status:
    'the page gets the status of its own server, and a refused key of that server is not the trouble of the visitor',
  settings: 'the settings of the model are on the server, which does not show its mistakes to a page',
  request:
    'the page sends one request, to its own server. Its observers see that one; the server repeats what the provider refused',
  key: 'an idempotency key of a page does not go to the provider: with the key of another visitor, it would get the answer to that visitor',
  kept: 'the test plays a provider that keeps answers. A server keeps its own (`docs/wire.md`), and asks the provider without `resume`',
  clocks:
    'the time limits of a request are for the connection to the server; a server sends what comes within 10 ms in one piece',
  body: 'the limit is for a whole body, and the server of a page answers in events',
  late: 'warnings come with the answer, so the provider was asked when the first one comes',
  globals: 'the test takes a global from the page, and this server is in the same process',
} as const

interface Difference {
  readonly file: string
  readonly title: RegExp
  readonly reason: keyof typeof reasons
}

const differences: readonly Difference[] = [
  { file: 'client/approval', title: /on a page without Web Crypto$/, reason: 'globals' },
  { file: 'client/errors', title: /is an ApiError in any form/, reason: 'words' },
  {
    file: 'client/errors',
    title: /the message of an error > (?:has the (?:provider|address)|has no address|names [A-Z]|of )/,
    reason: 'words',
  },
  { file: 'client/errors', title: /the message of an error > names the setting/, reason: 'settings' },
  { file: 'client/errors', title: /the text of a failed call/, reason: 'words' },
  { file: 'client/errors', title: /^a connection that fails > /, reason: 'words' },
  { file: 'client/errors', title: /a base URL without a scheme > .* names `baseUrl`/, reason: 'settings' },
  { file: 'client/errors', title: /a key that is missing > at the default address/, reason: 'settings' },
  { file: 'client/hooks', title: /with an idempotency key, other messages/, reason: 'key' },
  { file: 'client/hooks', title: /is called at each attempt/, reason: 'request' },
  { file: 'client/hooks', title: /has no query and no password of the address/, reason: 'request' },
  { file: 'client/hooks', title: /never says the key, in an error that quotes it/, reason: 'status' },
  { file: 'client/hooks', title: /are called at each step of a run, in order/, reason: 'request' },
  {
    file: 'client/local-model',
    title: /throws (?:an InterruptedError|any other error) with the part/,
    reason: 'words',
  },
  { file: 'client/local-model', title: /has the time limits of every model/, reason: 'clocks' },
  { file: 'client/mistakes', title: /inside an option gets an error that says apiKey$/, reason: 'settings' },
  {
    file: 'client/resume',
    title: /^(?!isoglot ).* > (?:continues wherever|requests the events|runs each tool)/,
    reason: 'kept',
  },
  { file: 'client/resume', title: /^(?!isoglot ).* > reads a stored answer from its beginning/, reason: 'kept' },
  { file: 'client/resume', title: /^(?:loses and doubles nothing|continues over another connection)/, reason: 'kept' },
  { file: 'client/resume', title: /^a server below a path, by (?!isoglot )/, reason: 'kept' },
  {
    file: 'client/resume',
    title: /an answer that cannot continue > (?:is an interruption|fails (?!immediately))/,
    reason: 'kept',
  },
  { file: 'client/resume', title: /an end before the end > by (?!stop\(\) before)/, reason: 'kept' },
  { file: 'client/resume', title: /keys > are /, reason: 'key' },
  { file: 'client/structured', title: /takes time that is linear/, reason: 'clocks' },
  { file: 'client/torture', title: /ends in the own error of a key that fails/, reason: 'settings' },
  { file: 'client/transport', title: /asks after status (?:401|403|404|408|409|422|500) with/, reason: 'status' },
  { file: 'client/transport', title: /where an idempotency key makes that safe/, reason: 'key' },
  { file: 'client/transport', title: /does not count the time before a retry/, reason: 'clocks' },
  { file: 'client/transport', title: /limits a whole answer by its bytes/, reason: 'body' },
  { file: 'client/warnings', title: /an `onWarning` that throws stops the run/, reason: 'late' },
  { file: 'client/whole', title: /a 400 of a server that cannot stream/, reason: 'words' },
  { file: 'client/whole', title: /a body that is not an answer is reported with its address/, reason: 'words' },
  { file: 'client/wires', title: /in Node > .* on an error in the middle of a stream/, reason: 'words' },
]

/** The differences of a test file. */
export function differencesOf(file: string): readonly Difference[] {
  return differences.filter((one) => file.endsWith(`test/${one.file}.test.ts`))
}
