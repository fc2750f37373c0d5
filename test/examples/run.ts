/** Runs an example as its readme says: `npm run example <name>`. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')

export interface Example {
  /** Resolves with the first address that it prints. */
  readonly url: Promise<string>
  /** Resolves with what it printed, once it has ended; rejects if it failed. */
  readonly output: Promise<string>
  stop(): Promise<unknown>
}

export function runExample(name: string, ...words: string[]): Example {
  const { OPENAI_API_KEY: _, ANTHROPIC_API_KEY: _other, ...env } = process.env
  // As npm does it: by a shell, which is all that a signal to npm reaches.
  const command = [process.execPath, join(root, 'scripts', 'example.mjs'), name, ...words].map(quoted).join(' ')
  const child = spawn('sh', ['-c', `${command}; exit $?`], {
    cwd: root,
    env: { ...env, PORT: '0', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  let log = ''
  const addressed = Promise.withResolvers<string>()
  child.stderr.on('data', (bytes) => (log += bytes))
  child.stdout.on('data', (bytes) => {
    printed += bytes
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? []
    if (url !== undefined) addressed.resolve(url)
  })
  const output = new Promise<string>((resolve, reject) => {
    // Not before everybody who could still write has ended.
    child.once('close', (code) => {
      const failure = new Error(`${name} ended with ${code}: ${log}`)
      addressed.reject(failure)
      if (code === 0) resolve(printed)
      else reject(failure)
    })
  })
  for (const promise of [output, addressed.promise]) promise.catch(() => {})
  return {
    url: addressed.promise,
    output,
    stop() {
      child.kill()
      return output.catch(() => {})
    },
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
