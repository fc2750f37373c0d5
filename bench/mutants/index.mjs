/**
 * `npm run mutants`: makes small changes to the source, one at a time, and lists the changes that no test notices.
 *
 *   --count 300   how many mutants, spread over the areas below
 *   --seed 1      which ones; the seed is printed
 *   --only TEXT   only files whose path has this text
 *   --numbers 3,9 only these of the draw, to try survivors again
 *   --tests LIST  only tests of these folders of `test/`, such as `assemble,tools`
 *   --jobs 2      how many run at a time
 *   --out FILE    the results, as JSON
 *
 * `npm run breaks` makes the changes of `breaks.mjs` instead: each removes a check of the Worker and runs the test files in its row.
 *
 * All mutants are compiled into one copy of the tree, and a run turns on one of them by its number. A first run of the tests records which
 * test files reach which mutants. Then each mutant runs only against these files, those of its own folder first, until one fails. The
 * Worker's code runs in workerd, where this cannot be recorded, so its mutants also run against every test file of `test/worker`.
 */
import { execFileSync, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { modernNode } from '../../scripts/modern-node.mjs'
import { seeded } from '../../test/support/random.ts'
import { findBreaks } from './breaks.mjs'
import { compileIn, sitesOf } from './operators.mjs'

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
    numbers: { type: 'string' },
    tests: { type: 'string' },
    out: { type: 'string' },
    breaks: { type: 'boolean', default: false },
  },
})
/** The source files with mutants, and the share of each area in percent. */
const areas = [
  ['src/assemble/**/*.ts', 12],
  ['src/framing/**/*.ts', 6],
  ['src/client/**/*.ts', 16],
  ['src/formats/*/{decode-answer,server/encode-answer}.ts', 16],
  ['src/formats/*/{encode-request,server/decode-request,tables}.ts', 16],
  ['src/prepare/*.ts', 8],
  ['src/tools/*.ts', 8],
  ['src/gateway/*.ts', 10],
  ['src/worker/**/*.ts', 8],
]
/** The tests for mutants, without browsers, runtimes, documents and brute force. */
const testFolders = values.tests?.split(',') ?? [
  'assemble',
  'client',
  'codecs',
  'framing',
  'gateway',
  'handoff',
  'laws',
  'messages',
  'prepare',
  'promises',
  'tools',
  'worker',
]
const isLeftOut = /exhaustive|\/(start|deploy|attack|operator)\.test\.ts$/
/** A test file that takes longer counts as hanging, which a developer would notice. */
const longestMs = 180_000

const root = join(import.meta.dirname, '..', '..')
const home = mkdtempSync(join(tmpdir(), 'isoglot-mutants-'))
const tree = join(home, 'tree')
process.on('exit', () => rmSync(home, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))

copyTree()
const mutants = values.breaks ? findBreaks(root, tree) : draw()
writeMutants()
console.log(`${mutants.length} mutants, seed ${values.seed}`)
const asked = values.numbers?.split(',').map(Number)
const tried = asked ? mutants.filter(({ number }) => asked.includes(number)) : mutants
const reach = values.breaks ? new Map(mutants.map(({ number, tests }) => [number, tests])) : await findReach()
const results = await tryAll(tried)
conclude()

function copyTree() {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  for (const file of listed
    .toString()
    .split('\0')
    .filter((name) => name && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(tree, file)), { recursive: true })
    cpSync(join(root, file), join(tree, file))
  }
  // The bundle of the Worker would leave out a module whose only effect is to turn on a mutant.
  const manifest = JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8'))
  writeFileSync(join(tree, 'package.json'), JSON.stringify({ ...manifest, sideEffects: true }))
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
  const node = join('scripts', 'node', 'node_modules')
  if (existsSync(join(root, node))) symlinkSync(join(root, node), join(tree, node))
}

/** Draws mutants from each area, at most one from each line. A draw depends only on the seed and the source. */
function draw() {
  const random = seeded(Number(values.seed))
  const drawn = areas.flatMap(([glob, share]) => {
    const all = globSync(glob, { cwd: root }).sort()
    const files = all.filter((file) => file.includes(values.only) && !file.endsWith('index.ts'))
    const sites = files.flatMap((file) =>
      sitesOf(readFileSync(join(root, file), 'utf8'), file).map((site) => ({ file, ...site })),
    )
    const lines = new Set()
    const wanted = Math.round((Number(values.count) * share) / 100)
    const picked = []
    while (picked.length < wanted && sites.length > 0) {
      const [site] = sites.splice(Math.floor(random() * sites.length), 1)
      if (lines.has(`${site.file}:${site.line}`)) continue
      lines.add(`${site.file}:${site.line}`)
      picked.push(site)
    }
    return picked
  })
  return drawn.map((site, at) => ({ number: at + 1, ...site }))
}

function writeMutants() {
  for (const file of new Set(mutants.map((one) => one.file))) {
    const own = mutants.filter((one) => one.file === file)
    writeFileSync(join(tree, file), compileIn(readFileSync(join(root, file), 'utf8'), own))
  }
  // workerd has no file to read the number from, so it is written into the Worker before the bundle is made.
  const worker = join(tree, 'examples', 'worker', 'index.ts')
  writeFileSync(worker, `import './mutant.ts'\n${readFileSync(worker, 'utf8')}`)
  turnOnInWorker(0)
}

function turnOnInWorker(number) {
  writeFileSync(join(tree, 'examples', 'worker', 'mutant.ts'), `globalThis.$m ??= (one) => one === ${number}\n`)
}

/** The test files that reach each mutant: a `Map` from number to `{ file, ms }`, those of the mutant's folder first, then the fastest. */
async function findReach() {
  const files = testFolders.flatMap((folder) => globSync(`test/${folder}/**/*.test.ts`, { cwd: tree }))
  const own = globSync('test/*.test.ts', { cwd: tree }).filter((file) => !file.includes('promises'))
  const all = [...files, ...own].filter((file) => !isLeftOut.test(`/${file}`)).map((file) => join(tree, file))
  const hitsFile = join(home, 'hits.jsonl')
  // A file that fails without a mutant would seem to kill all mutants, so it is left out and reported.
  const failing = new Set()
  const take = ({ failed, files = failed }) => files.map((file) => failing.add(file))
  const jobs = Number(values.jobs)
  const shares = Array.from({ length: jobs }, (_, job) => all.filter((_, at) => at % jobs === job))
  const env = { ISOGLOT_HITS_FILE: hitsFile }
  await Promise.all(
    shares.map((share) =>
      runBatch(
        share.map((file) => ({ number: 0, files: [file] })),
        take,
        env,
      ),
    ),
  )
  for (const file of failing) console.log(`LEFT OUT ${relative(tree, file)}: it fails without a mutant`)
  const lines = readFileSync(hitsFile, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const passing = lines.filter(({ file }) => !failing.has(file))
  const inWorker = passing.filter(({ file }) => file.includes('/test/worker/'))
  return new Map(
    mutants.map(({ number, file }) => {
      // `test/codecs/gemini` tests `src/formats/gemini/encode-request.ts`, and then `test/codecs`.
      const folders = dirname(file).split('/').slice(1)
      const near = folders.map((_, at) => `/test/${folders.slice(0, at + 1).join('/')}/`)
      const nearness = (one) => near.filter((folder) => one.file.includes(folder)).length
      const byPlace = (a, b) => nearness(b) - nearness(a) || a.ms - b.ms
      const direct = passing.filter(({ reached }) => reached.includes(number)).sort(byPlace)
      const others = file.startsWith('src/worker/') ? inWorker.filter((one) => !direct.includes(one)).sort(byPlace) : []
      return [number, [...direct, ...others]]
    }),
  )
}

async function tryAll(list) {
  const found = new Map()
  const take = (result) => {
    found.set(result.number, result)
    const { name, file, line, from, to } = mutants.find(({ number }) => number === result.number)
    const what = `${file}:${line} ${name ?? `${oneLine(from)} -> ${oneLine(to)}`}`
    if (!result.isKilled) console.log(`SURVIVED ${result.number} ${what}${result.ran ? '' : ' (no test reaches it)'}`)
    else if (values.breaks || process.env.VERBOSE) console.log(`killed ${result.number} ${what} | ${result.by}`)
  }
  const work = list.map(({ number, file }) => ({ number, files: reach.get(number).map((one) => one.file), file }))
  for (const { number } of work.filter(({ files }) => files.length === 0)) take({ number, isKilled: false, ran: 0 })
  const reached = work.filter(({ files }) => files.length > 0)
  const isOfWorker = ({ file }) => values.breaks || file.startsWith('src/worker/')
  const inProcess = reached.filter((one) => !isOfWorker(one))
  const jobs = Number(values.jobs)
  const shares = Array.from({ length: jobs }, (_, job) => inProcess.filter((_, at) => at % jobs === job))
  await Promise.all(shares.map((share) => runBatch(share, take)))
  // One at a time, each in its own vitest, since the Worker's bundle is made once for each.
  for (const one of reached.filter(isOfWorker)) {
    turnOnInWorker(one.number)
    await runBatch([one], take)
  }
  return found
}

/** Runs these mutants in one child process. If a mutant hangs, a new child continues with the next one. */
async function runBatch(list, take, env = {}) {
  let left = [...list]
  while (left.length > 0) {
    const activeFile = join(home, `active-${Math.random()}`)
    writeFileSync(activeFile, '0')
    const corpus = process.env.ISOGLOT_CORPUS ?? join(root, '..', 'shared', 'corpus')
    const child = spawn(modernNode(), [join(tree, 'bench', 'mutants', 'batch.mjs'), tree], {
      cwd: tree,
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
      env: {
        ...process.env,
        ISOGLOT_CORPUS: corpus,
        AI_SDK_LOG_WARNINGS: 'false',
        ...(values.breaks && { ISOGLOT_EVERY_FILE: '1' }),
        ...env,
        ISOGLOT_MUTANT_FILE: activeFile,
      },
    })
    const stop = () => {
      try {
        process.kill(-child.pid, 'SIGKILL')
      } catch {
        // The process has ended.
      }
    }
    process.on('exit', stop)
    let timer
    const wait = () => {
      clearTimeout(timer)
      timer = setTimeout(stop, longestMs)
    }
    wait()
    for (const { number, files } of left) child.stdin.write(`${JSON.stringify({ number, files })}\n`)
    child.stdin.end()
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.startsWith('@')) continue
      wait()
      const result = JSON.parse(line.slice(1))
      if (result.isAlive) continue
      take(result)
      left.shift()
    }
    clearTimeout(timer)
    process.off('exit', stop)
    stop()
    const [hanging] = left
    if (!hanging) break
    take({ ...hanging, isKilled: true, ran: hanging.files.length, by: 'it hangs or ends the process' })
    left = left.slice(1)
  }
}

function conclude() {
  const survivors = tried.filter(({ number }) => !results.get(number)?.isKilled)
  for (const [glob] of areas) {
    const own = tried.filter(({ file }) => globSync(glob, { cwd: root }).includes(file))
    const killed = own.filter(({ number }) => results.get(number)?.isKilled).length
    if (own.length > 0) console.log(`${glob}: ${killed} of ${own.length}`)
  }
  const killed = tried.length - survivors.length
  console.log(
    `${killed} of ${tried.length} mutants killed (${((100 * killed) / tried.length).toFixed(1)} %), seed ${values.seed}`,
  )
  if (values.out) {
    const rows = tried.map((one) => ({ ...one, ...results.get(one.number), tests: reach.get(one.number)?.length }))
    writeFileSync(values.out, JSON.stringify(rows, null, 1))
  }
}

function oneLine(text) {
  return JSON.stringify(text.length > 70 ? `${text.slice(0, 70)}…` : text)
}
