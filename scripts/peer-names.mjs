/**
 * Writes `test/docs/peer-names.json`: every name that the AI SDK, TanStack AI and LangChain export, and the options and fields that their users
 * write. `test/docs/migrating.test.ts` checks that `docs/migrating` has a line for each.
 *
 * `node scripts/with-node.mjs scripts/peer-names.mjs`, after the version of one of them has changed: it installs them apart, with npm.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'node_modules', '.cache', 'isoglot-peers')
const read = (...path) => JSON.parse(readFileSync(join(...path, 'package.json'), 'utf8'))
const pinned = { ...read(root, 'bench').dependencies, ...read(root).devDependencies, langchain: '1.5.14' }

/** By the page of the guide. With `types`, the names of types too: users of these libraries write them. */
const pages = {
  'ai-sdk': { packages: ['ai', '@ai-sdk/react'], types: true },
  tanstack: { packages: ['@tanstack/ai', '@tanstack/ai-client'] },
  langchain: { packages: ['langchain', '@langchain/core'] },
}

/** Types whose fields users write, or read. */
const fields = {
  'ai-sdk': {
    'generateText and streamText': `Parameters<typeof ai.generateText>[0] & Parameters<typeof ai.streamText>[0]`,
    'generateObject and streamObject': `Parameters<typeof ai.generateObject>[0] & Parameters<typeof ai.streamObject>[0]`,
    ToolLoopAgent: 'ai.ToolLoopAgentSettings',
    'a result': 'ai.StreamTextResult<any, any, any> & ai.GenerateTextResult<any, any, any>',
    'a step': 'ai.StepResult<any>',
    tool: 'ai.Tool',
    Output: 'typeof ai.Output',
    createUIMessageStream: 'Parameters<typeof ai.createUIMessageStream>[0]',
    toUIMessageStreamResponse: `NonNullable<Parameters<ai.StreamTextResult<any, any, any>['toUIMessageStreamResponse']>[0]>`,
    DefaultChatTransport: 'NonNullable<ConstructorParameters<typeof ai.DefaultChatTransport>[0]>',
    'useChat, options': 'NonNullable<Parameters<typeof react.useChat>[0]>',
    'useChat, fields': 'ReturnType<typeof react.useChat>',
    'useObject, options': 'Parameters<typeof react.useObject>[0]',
    'useObject, fields': 'ReturnType<typeof react.useObject>',
    'useCompletion, fields': 'ReturnType<typeof react.useCompletion>',
  },
  tanstack: {
    chat: 'Parameters<typeof tanstack.chat>[0]',
    toolDefinition: 'Parameters<typeof tanstack.toolDefinition>[0]',
    'ChatClient, options': 'ConstructorParameters<typeof client.ChatClient>[0]',
    'ChatClient, methods': 'client.ChatClient',
  },
  langchain: {
    createAgent: 'langchain.CreateAgentParams',
    createMiddleware: 'Parameters<typeof langchain.createMiddleware>[0]',
  },
}

const packages = Object.values(pages).flatMap((page) => page.packages)
const versions = Object.fromEntries(packages.map((name) => [name, pinned[name]]))
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies: versions }))
const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--legacy-peer-deps']
execFileSync('npm', ['install', ...flags], { cwd: folder, stdio: 'inherit' })

/** The public paths of a package that hold code. */
function pathsOf(name) {
  const { exports } = read(folder, 'node_modules', name)
  const paths = Object.keys(exports).filter((path) => !/\.json$|\/(node|internal|test)$|\*/.test(path))
  return paths.map((path) => `${name}${path.slice(1)}`)
}

const paths = packages.flatMap(pathsOf)
const file = join(folder, 'names.ts')
const declared = Object.entries(fields).flatMap(([page, types]) =>
  Object.entries(types).map(([name, type]) => [page, name, type]),
)
writeFileSync(
  file,
  [
    `import * as ai from 'ai'`,
    `import * as react from '@ai-sdk/react'`,
    `import * as tanstack from '@tanstack/ai'`,
    `import * as client from '@tanstack/ai-client'`,
    `import * as langchain from 'langchain'`,
    ...paths.map((path) => `import '${path}'`),
    ...declared.map(([, , type], at) => `export type T${at} = ${type}`),
  ].join('\n'),
)
const program = ts.createProgram([file], {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ESNext,
  lib: ['lib.esnext.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  skipLibCheck: true,
  strict: true,
  types: [],
})
const checker = program.getTypeChecker()
const { statements } = program.getSourceFile(file)

/** Of a path, without what is only there for tools that build the package. */
function exportsOf(path, withTypes) {
  const { moduleSpecifier } = statements.find((one) => one.moduleSpecifier?.text === path)
  const module = checker.getSymbolAtLocation(moduleSpecifier)
  if (module === undefined) return ''
  const isWanted = (symbol) => {
    const meant = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    return withTypes || meant.flags & ts.SymbolFlags.Value
  }
  return checker
    .getExportsOfModule(module)
    .filter((symbol) => isWanted(symbol) && !/^_|_exports$/.test(symbol.name))
    .map(({ name }) => name)
    .sort()
    .join(' ')
}

/** The public fields of each member of a union or an intersection. */
function fieldsOf(type) {
  const plain = checker.getNonNullableType(type)
  const members = plain.isUnionOrIntersection() ? plain.types : [plain]
  const symbols = members.flatMap((one) => (one.isUnion() ? one.types : [one])).flatMap((one) => one.getProperties())
  const isHidden = ({ name, declarations }) =>
    /^_|^#/.test(name) ||
    ts.getCombinedModifierFlags(declarations?.[0] ?? statements[0]) &
      (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)
  return [...new Set(symbols.filter((one) => !isHidden(one)).map(({ name }) => name))].sort().join(' ')
}

const names = Object.fromEntries(
  Object.entries(pages).map(([page, { packages, types = false }]) => [
    page,
    {
      exports: Object.fromEntries(
        packages
          .flatMap(pathsOf)
          .map((path) => [path, exportsOf(path, types)])
          .filter(([, names]) => names !== ''),
      ),
      fields: Object.fromEntries(
        declared.flatMap(([of, name], at) => {
          const alias = statements.find((one) => one.name?.text === `T${at}`)
          return of === page ? [[name, fieldsOf(checker.getTypeAtLocation(alias))]] : []
        }),
      ),
    },
  ]),
)
writeFileSync(join(root, 'test', 'docs', 'peer-names.json'), `${JSON.stringify({ versions, ...names }, null, 2)}\n`)
