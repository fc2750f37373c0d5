/**
 * Every official client against every provider, through the template of `examples/worker` in a folder of its own, with the package as npm packs
 * it and the code as wrangler deploys it. The template asks one provider; here it has the others too, in the words of its own options.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { unstable_getMiniflareWorkerOptions as optionsFor } from 'wrangler'
import { judgeClients } from '../gateway/judge.ts'
import { models, startJudged, wireOf } from '../worker/judged.ts'
import { startWorkers } from '../worker/local.ts'
import { dist } from './built.ts'
import { installPacked, wrangler, wranglerEnvironment } from './packed.ts'

const template = join(dist, '..', 'examples', 'worker', 'template')
const providers = Object.entries(models).map(([prefix, model]) => ({ name: prefix.toLowerCase(), prefix, model }))
/** Lines of the template, and what this test writes in their place: all providers, more money, and no counters. */
const changes = {
  "models: { openai: ['gpt-5-mini'] }": `models: { ${providers.map(({ name, model }) => `${name}: ['${model}']`).join(', ')} }`,
  'keys: { openai: { key: env.OPENAI_API_KEY, baseUrl: env.OPENAI_BASE_URL } }': `keys: { ${providers
    .map(({ name, prefix }) => `${name}: { key: env.${prefix}_API_KEY, baseUrl: env.${prefix}_BASE_URL }`)
    .join(', ')} }`,
  'dailyBudgetUsd: 0.5, totalDailyBudgetUsd: 5': 'dailyBudgetUsd: 1000, totalDailyBudgetUsd: 1000, liveStreams: 100',
  '  limits: { perUser: env.PER_USER, perNetwork: env.PER_IP },\n': '  formats: allFormats,\n',
  'import { createWorker': "import { allFormats } from 'isoglot/gateway'\nimport { createWorker",
}

async function startTemplate(settings: Readonly<Record<string, string>>, port: number) {
  const project = installPacked()
  cpSync(template, project, { recursive: true })
  let code = readFileSync(join(project, 'index.ts'), 'utf8')
  for (const [from, to] of Object.entries(changes)) {
    if (!code.includes(from)) throw new Error(`The template does not have: ${from}`)
    code = code.replace(from, to)
  }
  writeFileSync(join(project, 'index.ts'), code)
  const { status, stdout, stderr } = spawnSync(process.execPath, [wrangler, 'deploy', '--dry-run', '--outdir', 'out'], {
    cwd: project,
    encoding: 'utf8',
    env: wranglerEnvironment(project),
  })
  if (status !== 0) throw new Error(`wrangler cannot deploy the template: ${stdout}${stderr}`)
  const { modulesRules: _, ...options } = optionsFor(join(project, 'wrangler.toml')).workerOptions
  const bindings = { ...settings, ORIGIN: settings.ALLOWED_ORIGINS }
  const script = { scriptPath: join(project, 'out', 'index.js'), modulesRoot: join(project, 'out') }
  const { urls, stop } = await startWorkers([{ ...options, ...script, name: 'my-chat', bindings, port }])
  return {
    url: urls[0] as string,
    async stop() {
      await stop()
      rmSync(project, { recursive: true, force: true })
    },
  }
}

judgeClients({
  title: 'the template of the Worker, as npm installs it',
  turn: 0,
  modes: [false, true],
  providers: Object.values(models),
  wireOf,
  start: () => startJudged(startTemplate),
})
