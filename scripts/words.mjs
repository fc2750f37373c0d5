/**
 * Lists words in comments, messages, titles of tests and Markdown that readers stop at, each with its place and what to write instead.
 * Part of `npm run lint`. Exits 1 if it finds any. Arguments are files or folders; default: all.
 *
 * A line that needs such a word says `words: <reason>`.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

const root = join(import.meta.dirname, '..')
const everything = [
  'src',
  'examples',
  'scripts',
  'test',
  'bench',
  'docs',
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
]
/** Recorded answers, other people's packages, and this file with its test, which quote the words. */
const passedOver = /(?:^|\/)(?:node_modules|recordings|dist)\/|^scripts\/words\.mjs$|^test\/docs\/words\.test\.ts$/

/** The start of a sentence. */
const start = String.raw`(?<=^\s*|[.:;!?]\s+|^[-|>#\s\d.*]+)`

/** Each pattern, and what to write instead. `\s+` also matches the end of a line in a comment. */
const rules = [
  [/(?<!\bthere\s+)\b(?:is|are|was|were)\s+no\s+(?!longer\b|more\b|matter\b)\w+/gi, 'is not a …; does not have'],
  [
    /\bthere\s+(?:is|was)\s+no\s+(?:JSON|object|array|message|model|string|list|number)\b/gi,
    'does not have a …; is unknown',
  ],
  [/(?<!\b(?:there|they)\s+)\b(?:are|were)\s+none\b(?!\s+left)|\b(?:is|was)\s+none\b/gi, 'is not one'],
  [/\b(?:tells?|told)\b(?!\s+(?:\w+\s+){0,6}apart\b)/gi, 'reports, says, returns, sends'],
  [
    new RegExp(`${start}(?:What|Who|Whom|Whose|Whoever|Whatever|Nobody|Somebody)\\b(?![^.;!]*\\?)`, 'g'),
    'a thing of the code',
  ],
  [/\b(?:nobody|somebody|anybody|whoever)\b/gi, 'the user, the client, no caller'],
  [/(?<!\b(?:stands?|leaves?|leaving|left|let)\s+(?:\w+\s+)?)\balone\b/gi, 'only; by itself'],
  [
    /\bbehind\b(?!\s+(?:an?|the|one|its?|no|another|any|some|every|this|nginx|Cloudflare)?\s*(?:\w+\s+)?(?:prox(?:y|ies)|tunnel|gateway|CDN|nginx|firewall|login|scenes))/gi,
    'after; follows',
  ],
  [/(?<!\b(?:what|who|\w+(?:thing|where|body|one))\s+)\belse(?=[.;:)]|$)/gi, 'otherwise'],
  [/\bdid\s+(?:cost|go|come|take|have|run)\b/gi, 'cost, went'],
  [/\b(?:has|have|had)\s+not(?=[.,;:)]|$)/gi, 'does not have'],
  [/\bof\s+which\b/gi, 'a second sentence'],
  [new RegExp(`${start}Of\\s+(?:an?|all|the|some|what|those)\\b`, 'g'), 'subject, verb, object'],
  [/\bsigns?\s+of\s+life\b/gi, 'keep-alive comments'],
  [/\bstrangers?\b/gi, 'unknown field; other user'],
  [/\b(?:lessons?|honest(?:ly)?|patience|proper\s+end)\b/gi, 'the word of the field; no metaphor'],
  [/\bcarriers?\b(?!-grade)/gi, 'proof envelope'],
  [/\b(?:second|first|last)\s+wall\b/gi, 'limit, check'],
  [/\b(?:breaks?|broke|broken|breaking)\s+off\b/gi, 'is cut off'],
  [/\b(?:falls?|fell)\s+silent\b/gi, 'stops sending'],
  [/\bin\s+silence\b/gi, 'silently, without an error'],
  [/\banew\b/gi, 'again, from the beginning'],
  [/\bfor\s+ever\b/gi, 'without end'],
  [/\bbut\s+for\b/gi, 'except'],
  [/\b(?:passed|to\s+pass)\s+over\b/gi, 'skipped, ignored'],
  [/\bone['’]s\s+own\b/gi, 'your own, the user’s own'],
  [/(?<!\b(?:how|as|too|not)\s+)\bso\s+(?:many|long|often)\b(?!\s+(?:as|that))/gi, 'this number of, this long'],
  [new RegExp(`${start}Most\\s+(?:\\w+\\s+)?\\w+s\\s+(?:of|that|in|per|at|from|one)\\b`, 'g'), 'the maximum number of'],
]

/** Names that were replaced. */
const names = [
  [/\b(?:House|Visit|Discretion)\b/g, 'GatewayConfig, GatewayRequest, ErrorDetail'],
  [/\blose\(|\b(?!UserLedger\b)\w*[lL]edgers?\b/g, 'reportLoss, newLosses, Losses; CallLog; UserAccount, accounts'],
  [
    /\b(?:isCarrier|withoutStrangers|signsOfLife|stillSays|patience)\b/g,
    'envelope, proof field, unknown field, timeout',
  ],
]

const comment = String.raw`\/\*[\s\S]*?\*\/|\/\/[^\n]*`
const string = String.raw`'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\x60(?:[^\x60\\]|\\[\s\S])*\x60`
const regex = String.raw`(?<=[=(,:[!&|?{};\n] *)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/`
const token = new RegExp(`(?<comment>${comment})|(?<string>${string})|${regex}`, 'g')

/** The same text with spaces in place of what the pattern finds, so that places stay. */
const blank = (text, pattern) => text.replace(pattern, (found) => found.replace(/[^\n]/g, ' '))
const inCode = /`[^`\n]*`/g
const inMarkdown = /^(```|~~~)[\s\S]*?^\1$|`[^`\n]*`|\]\([^)\s]+\)|<[^>\n]+>/gm

/** The pieces of a file that people read, and where each begins. */
function proseOf(path, text) {
  if (path.endsWith('.md')) return [{ at: 0, prose: blank(text, inMarkdown) }]
  const pieces = []
  for (const { 0: found, index: at, groups } of text.matchAll(token)) {
    if (groups.comment) pieces.push({ at, prose: blank(blank(found, /^\/\*+|\*\/$|^\/\/|^ *\*/gm), inCode) })
    else if (groups.string && isMessage(path, found, text.slice(Math.max(0, at - 40), at)))
      pieces.push({ at, prose: blank(blank(found, /\$\{[^}]*\}|\\./g), /^.|.$/g) })
  }
  return pieces
}

/** In tests, titles are read by people; other strings are data. */
function isMessage(path, found, before) {
  if (!path.startsWith('test/')) return found.split(' ').length > 3
  return /\b(?:it|test|describe)(?:\.\w+)*\(\s*$|\)\(\s*$/.test(before)
}

/** The hard words of a file, one line each. */
export function findingsIn(path, text) {
  const lines = text.split('\n')
  const found = []
  for (const { at, prose } of proseOf(path, text))
    for (const [pattern, instead] of rules)
      for (const { 0: word, index } of prose.matchAll(pattern)) found.push({ at: at + index, word, instead })
  if (!path.endsWith('.md')) {
    for (const [pattern, instead] of names)
      for (const { 0: word, index } of text.matchAll(pattern)) found.push({ at: index, word, instead })
  }
  return found
    .sort((one, other) => one.at - other.at)
    .flatMap(({ at, word, instead }) => {
      const line = text.slice(0, at).split('\n').length
      const isKept = /\bwords: \w+/.test(lines[line - 1])
      return isKept ? [] : [`${path}:${line}: "${word.replace(/\s+/g, ' ')}"; write: ${instead}`]
    })
}

function filesOf(place) {
  if (!statSync(join(root, place)).isDirectory()) return [place]
  const names = readdirSync(join(root, place), { recursive: true, encoding: 'utf8' })
  return names.filter((name) => !name.startsWith('.')).map((name) => join(place, name))
}

if (process.argv[1] === import.meta.filename) {
  const asked = process.argv.slice(2)
  const places = asked.length > 0 ? asked.map((place) => relative(root, join(process.cwd(), place))) : everything
  const files = places.flatMap(filesOf).filter((path) => /\.(?:[mc]?[jt]sx?|md)$/.test(path) && !passedOver.test(path))
  const found = files.flatMap((path) => findingsIn(path, readFileSync(join(root, path), 'utf8')))
  for (const line of found) console.log(line)
  console.log(`Words that readers stop at: ${found.length}, in ${files.length} files`)
  process.exitCode = found.length > 0 ? 1 : 0
}
