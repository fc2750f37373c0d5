/** Compiles a program against `src`, for what its types cost the compiler and for what the compiler says of them. */
import { join } from 'node:path'
import ts from 'typescript'

const root = join(import.meta.dirname, '..', '..')
const path = join(root, 'test', 'measured.ts')
const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config,
  ts.sys,
  root,
)
const settings = {
  ...options,
  skipLibCheck: true,
  declaration: false,
  isolatedDeclarations: false,
  noUnusedLocals: false,
}
const files = new Map<string, ts.SourceFile | undefined>()

/** The text stands for a file in `test`: how many types it and its imports instantiate, and each error as `line: text`. */
export function compile(text: string): { readonly instantiations: number; readonly problems: readonly string[] } {
  const host = ts.createCompilerHost(settings)
  const { getSourceFile, fileExists } = host
  host.fileExists = (name) => name === path || fileExists(name)
  host.getSourceFile = (name, ...rest) => {
    if (name === path) return ts.createSourceFile(name, text, ts.ScriptTarget.ES2022)
    if (!files.has(name)) files.set(name, getSourceFile(name, ...rest))
    return files.get(name)
  }
  const program = ts.createProgram([path], settings, host)
  const file = program.getSourceFile(path) as ts.SourceFile
  const problems = program.getSemanticDiagnostics(file).map(({ start = 0, messageText }) => {
    const { line } = file.getLineAndCharacterOfPosition(start)
    return `${line + 1}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
  })
  return { instantiations: program.getInstantiationCount(), problems }
}

/** The same for a program that has no errors. */
export function instantiations(text: string): number {
  const { problems, instantiations } = compile(text)
  if (problems.length > 0) throw new Error(problems[0])
  return instantiations
}

/** A program with a stream of this number of tools. It reads the arguments and the value of one of them. */
export function programOf(count: number): string {
  const tools = Array.from(
    { length: count },
    (_, at) => `const tool${at} = tool({
  name: 'tool_${at}',
  parameters: t.object({ city: t.string(), field${at}: t.optional(t.integer()) }),
  execute: ({ city }) => ({ degrees: city.length }),
})`,
  )
  const names = tools.map((_, at) => `tool${at}`)
  const last = count - 1
  return `import { type Model, stream, t, tool } from '../src/index.ts'
declare const model: Model
${tools.join('\n')}
for await (const event of stream({ model, prompt: 'x', tools: [${names.join(', ')}] })) {
  if (event.type === 'tool_call' && event.call.name === 'tool_${last}') event.call.arguments.field${last}?.toFixed()
  if (event.type === 'tool_result' && event.result.name === 'tool_${last}') event.result.value?.degrees.toFixed()
}`
}
