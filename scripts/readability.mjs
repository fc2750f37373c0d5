/**
 * Measures how hard the guides and the doc comments of `src` are to read: words a sentence and Flesch-Kincaid grade (years of school), by file
 * and in total. Reads prose only: no code, tables or headings. A piece of inline code counts as one word of one syllable.
 *
 * `npm run readability`, and `npm run readability -- --sample 20 --seed 1` for twenty sentences of the guides picked by a seed.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { seeded } from '../test/support/random.ts'

const root = join(import.meta.dirname, '..')
const packages = ['flesch-kincaid@2.0.1', 'syllable@5.0.1']

/** The packages are not in `package.json`, because only this script needs them. */
async function loadPackages() {
  const folder = join(root, 'node_modules', '.cache', 'readability')
  if (!existsSync(join(folder, 'node_modules', 'syllable'))) {
    const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    execFileSync('npm', ['install', '--prefix', folder, ...flags, ...packages], { stdio: 'inherit' })
  }
  const { resolve } = createRequire(join(folder, 'node_modules', 'index.js'))
  const [{ fleschKincaid }, { syllable }] = await Promise.all(
    ['flesch-kincaid', 'syllable'].map((name) => import(resolve(name))),
  )
  return { fleschKincaid, syllable }
}

const { fleschKincaid, syllable } = await loadPackages()

const codes = []
/** Each piece of inline code is one character of a private plane of Unicode, so that it counts as a word and can be printed again. */
const asCharacter = (code) => String.fromCodePoint(0xf0000 + codes.push(code) - 1)
const withCode = (sentence) => sentence.replaceAll(/\p{Co}/gu, (character) => codes[character.codePointAt(0) - 0xf0000])

/** The paragraphs and list items of Markdown. */
function paragraphsOf(markdown) {
  return markdown
    .replaceAll(/^ *```.*?^ *```$/gms, '\n\n')
    .replaceAll(/<!--.*?-->/gs, '')
    .replaceAll(/^ *(?:\||#).*$/gm, '\n')
    .replaceAll(/^ *(?:[-*]|\d+\.) /gm, '\n')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\{@link [^}]*\}|(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)|<?https?:\S+/gs, asCharacter)
    .replaceAll(/[*_]{1,2}(\S.*?)[*_]{1,2}/g, '$1')
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replaceAll(/\s+/g, ' ').trim())
    .filter(Boolean)
}

/** The text of the doc comments of a source file. Each tag begins a paragraph. */
function commentsOf(source) {
  return [...source.matchAll(/\/\*\*(.*?)\*\//gs)].map(([, text]) =>
    text
      .replaceAll(/^\s*\* ?/gm, '')
      .replaceAll(/@(?:module|see).*$/gm, '')
      .replaceAll(/@(\w+)(?: \{\w+\})?/g, '\n\n'),
  )
}

function sentencesOf(paragraph) {
  return paragraph
    .split(/(?<=[.!?][)”"]?) +(?=[\p{Lu}\p{Co}“"(…]|isoglot)/u)
    .filter((sentence) => /[\p{L}\p{Co}]/u.test(sentence))
}

function wordsOf(sentence) {
  return sentence.match(/\p{Co}|[\p{L}\p{N}][\p{L}\p{N}’'-]*/gu) ?? []
}

function measure(sentences) {
  const words = sentences.flatMap(wordsOf)
  const counts = {
    sentence: sentences.length,
    word: words.length,
    syllable: words.reduce((sum, word) => sum + (/\p{Co}/u.test(word) ? 1 : syllable(word)), 0),
  }
  return { ...counts, perSentence: counts.word / counts.sentence, grade: fleschKincaid(counts) }
}

function filesIn(folder, ending) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending) && !name.startsWith('evidence'))
    .sort()
    .map((name) => `${folder}/${name}`)
}

const read = (file) => readFileSync(join(root, file), 'utf8')
const guides = filesIn('docs', '.md').map((file) => [file, paragraphsOf(read(file)).flatMap(sentencesOf)])
const comments = filesIn('src', '.ts').map((file) => [
  file,
  commentsOf(read(file)).flatMap(paragraphsOf).flatMap(sentencesOf),
])

function printTable(title, files) {
  console.log(`\n${title}\n${'sentences'.padStart(10)}${'words each'.padStart(12)}${'grade'.padStart(8)}`)
  const total = ['total', files.flatMap(([, sentences]) => sentences)]
  for (const [file, sentences] of [...files, total]) {
    if (sentences.length === 0) continue
    const { sentence, perSentence, grade } = measure(sentences)
    console.log(
      `${String(sentence).padStart(10)}${perSentence.toFixed(1).padStart(12)}${grade.toFixed(1).padStart(8)}  ${file}`,
    )
  }
}

const { values } = parseArgs({ options: { sample: { type: 'string' }, seed: { type: 'string', default: '1' } } })
if (values.sample) {
  const bySentence = new Map(guides.flatMap(([file, sentences]) => sentences.map((text) => [withCode(text), file])))
  const left = [...bySentence].map(([sentence, file]) => `${file}: ${sentence}`)
  const next = seeded(Number(values.seed))
  for (let count = 0; count < Number(values.sample) && left.length > 0; count++)
    console.log(left.splice(Math.floor(next() * left.length), 1)[0])
} else {
  printTable('Guides', guides)
  printTable('Doc comments of src', comments)
}
