import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { publicPaths } from './scripts/built-files.mjs'

const here = new URL('./', import.meta.url).pathname

/** Tests of these folders start processes, read built files, or change what a process shares. */
const apart = ['worker', 'page', 'examples', 'docs', 'package'].map((name) => `test/${name}/**/*.test.ts`)
/** Their subject is `wrangler dev` or `wrangler deploy`, or a program that starts one of them. */
const wranglerDev = ['test/worker/{start,deploy}.test.ts']
/** They read the built declarations, which `npm test` does not make, or run npm. */
const builtTypes = ['test/package/{canary,create,declarations,prepack,release,require,start,worker}.test.ts']
/** Every official client with every provider, through the template as npm installs it. */
const installed = ['test/package/clients.test.ts']
/** The page in Firefox and WebKit, which `test/page` has in Chromium; and the site, which takes long to make. */
const otherBrowsers = ['test/page/{browsers,site}.test.ts']
/**
 * These take long, and vary what other tests in `npm test` show already. So only the project `exhaustive` has them; with
 * `ISOGLOT_EVERY_FILE=1`, as for `npm test -- test/page`, the first four projects have them too.
 */
const onlyExhaustive = [
  'test/examples/{pages,recipe-pages,tools}.test.ts',
  'test/gateway/{ai-sdk,official-methods,worker}.test.ts',
  'test/package/{house,paths,purity}.test.ts',
  'test/page/{browser-model,chat-page,flow,page,static,turnstile,values}.test.ts',
  'test/types/cost.test.ts',
  'test/worker/{admin-page,ai-sdk,attack,breaks-outside,canary,clients,killed,runs-sdk}.test.ts',
]
/**
 * These try the cases that can differ in `npm test`, on the recordings of `test/recordings`; in the project `exhaustive`, with
 * `ISOGLOT_EXHAUSTIVE=1`, they try every case, on the larger set too: those of the folders in `apart` in the project `exhaustive-apart`.
 */
const exhaustive = [
  ...onlyExhaustive,
  'test/assemble/live-arguments.test.ts',
  'test/laws/*.test.ts',
  'test/handoff/{handoff,http,options}.test.ts',
  'test/codecs/**/{corpus,stream}.test.ts',
  'test/client/{apply-event,resume,whole,wires}.test.ts',
  'test/messages/{hand-off,laws,prepare.laws}.test.ts',
  'test/{test-kit/cuts,wraps/law}.test.ts',
  ...installed,
  'test/gateway/{clients,faults,figures,gateway,keys,keys-in-streams,malformed,malformed-questions,settings,whole}.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/worker/{bounds,door,keys,leases,limits,policy,runs,runs-schedules,smuggling,spending,upstream,user-account}.test.ts',
  'test/page-wire/{ag-ui,cuts,events,seal,ui-messages}.test.ts',
  'test/foreign-proofs.test.ts',
  'test/examples/commands.test.ts',
  'test/chat/orders.test.ts',
  'test/page/{chat,orders}.test.ts',
]
/** These get a process each; the others share one, as in `npm test`. */
const isApart = (files: string) => apart.some((folder) => files.startsWith(folder.slice(0, folder.indexOf('*'))))

const leftOut = process.env.ISOGLOT_EVERY_FILE === '1' ? [] : onlyExhaustive

/** A run of `npm run mutants`. */
const isForMutants = process.env.ISOGLOT_MUTANT_FILE !== undefined

/** In place of an order by size and by what failed last. */
class AsGiven {
  sort(files: TestSpecification[]) {
    return files
  }
  shard = this.sort
}

/** Projects in this order: their first tests are the longest and wait most of the time. So they begin, and short files come last. */
const order = ['machines', 'worker', 'page', 'examples', 'exhaustive-apart', 'exhaustive', 'behind']

class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const rank = ({ project }: TestSpecification) => order.indexOf(project.name)
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other))
  }
}

/** No model answers in these. */
const withoutModel = [
  'test/handoff/{families,handoff,options,types,validators}.test.ts',
  'test/tools/{approval,check,codec,invoke,json-schema}.test.ts',
  'test/chat/{bindings,branches,files,merge,orders,page-tools,persist,publish,races,store}.test.ts',
]
/** Puts a gateway between each model over HTTP and the page that asks it. */
const behindGateway = {
  name: 'behind-gateway',
  enforce: 'pre',
  resolveId(id: string, from = '') {
    const [, name] = /\/ask\/((?:http|local)-model\.ts)$/.exec(id) ?? []
    return name && /\/(?:src\/(?!ask|gateway)|test\/(?!behind|support))/.test(from)
      ? `${here}test/behind/${name}`
      : undefined
  },
} as const

const sharedProcess = {
  // What a file reaches is noted while its own modules are loaded.
  isolate: process.env.ISOGLOT_HITS_FILE !== undefined,
  provide: { isExhaustive: false },
  // Laws make thousands of small values that live for a moment: a tenth of their time goes into looking for those that are still in use.
  execArgv: ['--max-semi-space-size=64'],
}

const everyCase = [
  {
    extends: true,
    test: {
      ...sharedProcess,
      name: 'exhaustive',
      include: exhaustive.filter((files) => !isApart(files)),
      provide: { isExhaustive: true },
    },
  },
  {
    extends: true,
    test: {
      name: 'exhaustive-apart',
      include: exhaustive.filter(isApart),
      globalSetup: ['test/worker/bundle.ts'],
      provide: { isExhaustive: true },
    },
  },
] as const

/** `npm test` runs the first four projects, `npm run test:all` the others. */
export default defineConfig({
  resolve: {
    alias: [
      // What imports the package by its name, as the examples do, gets its source.
      ...Object.entries(publicPaths(here)).map(([name, source]) => ({
        find: new RegExp(`^isoglot${name === 'index' ? '' : `/${name}`}$`),
        replacement: here + source,
      })),
      // What workerd alone has, for tests that run the handler of the Worker in this process.
      { find: 'cloudflare:workers', replacement: `${here}test/support/cloudflare-workers.ts` },
    ],
  },
  test: {
    // Tests of pages poll what they read, because a page draws after the event.
    expect: { requireAssertions: true, poll: { timeout: 60_000 } },
    // The files that are most likely to notice a mutant come first.
    sequence: { sequencer: isForMutants ? AsGiven : WaitingFirst },
    setupFiles: ['test/support/setup.ts', ...(isForMutants ? ['bench/mutants/setup.mjs'] : [])],
    // Only a test that hangs may meet these: a busy machine is ten times slower than an idle one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Twice the cores that most machines of CI have: tests of the Worker and of pages wait for timeouts.
    maxWorkers: 4,
    // Tests that run beside one another wait for timeouts of a Worker, and compute nothing.
    maxConcurrency: 50,
    projects: [
      {
        extends: true,
        test: {
          ...sharedProcess,
          name: 'core',
          // These compute, after the others: a process more than there are cores would only load all modules once more.
          sequence: { groupOrder: 1 },
          maxWorkers: availableParallelism(),
          include: ['test/**/*.test.ts'],
          exclude: [...apart, ...leftOut],
        },
      },
      {
        extends: true,
        test: {
          ...sharedProcess,
          name: 'worker',
          include: ['test/worker/**/*.test.ts'],
          exclude: [...wranglerDev, ...leftOut],
          globalSetup: ['test/worker/bundle.ts'],
        },
      },
      {
        extends: true,
        test: {
          ...sharedProcess,
          name: 'page',
          include: ['test/page/**/*.test.ts'],
          exclude: [...otherBrowsers, ...leftOut],
          globalSetup: ['test/worker/bundle.ts'],
        },
      },
      {
        extends: true,
        test: {
          ...sharedProcess,
          name: 'examples',
          include: ['test/{examples,docs,package}/**/*.test.ts'],
          exclude: [...builtTypes, ...installed, ...leftOut],
        },
      },
      {
        extends: true,
        plugins: [behindGateway],
        test: {
          ...sharedProcess,
          name: 'behind',
          include: ['test/{client,tools,handoff,chat}/*.test.ts'],
          exclude: withoutModel,
          setupFiles: ['test/behind/setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'machines',
          // They install packages, make a site, and start wrangler: minutes on a busy machine.
          hookTimeout: 600_000,
          testTimeout: 300_000,
          include: [...wranglerDev, ...otherBrowsers, ...builtTypes],
          globalSetup: ['test/worker/bundle.ts'],
        },
      },
      ...(process.env.ISOGLOT_EXHAUSTIVE === '1' ? everyCase : []),
    ],
  },
})
