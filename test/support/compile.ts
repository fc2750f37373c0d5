/** The compiler's word on files that are made up by a test. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
/** Inside `node_modules`, so that the files find packages. */
const cache = join(root, 'node_modules', '.cache')

export interface Complaint {
  /** A key of `files`. */
  readonly file: string
  /** Counted from 1. */
  readonly line: number
  readonly code: number
  readonly text: string
}

/** Checks files by their names, as strictly as the project checks itself. Imports of isoglot by name get its source. */
export function compile(files: Readonly<Record<string, string>>): readonly Complaint[] {
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'isoglot-types-'))
  const config = { extends: join(root, 'test', 'tsconfig.json'), compilerOptions: options, include: ['*.ts'] }
  try {
    for (const [name, text] of Object.entries({ ...files, 'tsconfig.json': JSON.stringify(config) }))
      writeFileSync(join(folder, name), text)
    const tsc = join(root, 'node_modules', 'typescript-native', 'bin', 'tsc')
    // Other tests have the other cores, and several checkers find the types of the same files again.
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [tsc, '-p', folder, '--pretty', 'false', '--singleThreaded'],
      {
        cwd: folder,
        encoding: 'utf8',
        maxBuffer: 2 ** 28,
      },
    )
    if (stderr !== '') throw new Error(`Cannot run the compiler: ${stderr}`)
    return complaintsIn(stdout)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const options = {
  noEmit: true,
  moduleDetection: 'force',
  noUnusedLocals: false,
  // `npm run test:all` checks the declarations of packages, which only change with their versions.
  skipLibCheck: true,
  typeRoots: [join(root, 'node_modules', '@types')],
}

/** Each begins with its place; the indented lines after it say why. */
function complaintsIn(output: string): readonly Complaint[] {
  return output.split(/\n(?=\S)/).flatMap((text) => {
    const [, file, line, code, message] = /^(.+?)\((\d+),\d+\): error TS(\d+): (.*)$/s.exec(text.trim()) ?? []
    if (file === undefined) {
      if (text.trim() === '') return []
      throw new Error(`Cannot read what the compiler says: ${text}`)
    }
    return [{ file, line: Number(line), code: Number(code), text: (message ?? '').replace(/\n\s*/g, ' | ') }]
  })
}
