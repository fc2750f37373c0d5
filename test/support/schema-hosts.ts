/**
 * The schemas of tools that hosts refuse, with the whole request, by documents, sources and error texts in public issues: the root first,
 * then every place below it.
 *
 * @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas, langchain-ai/langchainjs#9804, openai-agents-python#449, aichat#1049
 * @see anthropics/claude-code#5319, #586, ComposioHQ#3649; https://ai.google.dev/gemini-api/docs/structured-output; opencode#12295
 * @see https://docs.x.ai/docs/guides/structured-outputs, CLIProxyAPI#4343; livekit/agents#4610; litellm#13389; vllm `tool_parsers/utils.py`
 * @see MoonshotAI/kimi-code#2661; ggml-org/llama.cpp#25746; https://docs.cohere.com/docs/structured-outputs; ollama `api/types.go`
 */
import type { JsonObject } from '../../src/core/messages.ts'

type Node = Record<string, unknown>
/** Findings about one schema in a tool: where `path` is empty, about its root. */
type Rule = (node: Node, path: string, root: Node) => string | false | undefined | null

const isObject = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const typesOf = ({ type }: Node) => [type].flat()

/** Every schema with its path. */
export function schemasIn(schema: unknown, path = ''): readonly (readonly [node: unknown, path: string])[] {
  const inside = (value: unknown, step: string) => schemasIn(value, `${path}.${step}`)
  if (!isObject(schema)) return [[schema, path]]
  const found: (readonly [unknown, string])[] = [[schema, path]]
  for (const [keyword, value] of Object.entries(schema)) {
    if (/^(?:properties|patternProperties|\$defs|definitions|dependentSchemas)$/.test(keyword))
      for (const [name, one] of Object.entries(value as Node)) found.push(...inside(one, `${keyword}.${name}`))
    else if (
      /^(?:items|contains|not|if|then|else|propertyNames|additionalItems|additionalProperties|unevaluated\w+)$/.test(
        keyword,
      )
    )
      found.push(...inside(value, keyword))
    else if (/^(?:(?:all|any|one)Of|prefixItems)$/.test(keyword))
      for (const [at, one] of listOf(value).entries()) found.push(...inside(one, `${keyword}[${at}]`))
  }
  return found
}

/** The names of the definitions that lead back to themselves. */
function recursiveIn(root: Node): ReadonlySet<string> {
  const refsOf = (name: string): string[] =>
    [...JSON.stringify((root.$defs as Node)[name]).matchAll(/"\$ref":"#\/\$defs\/([^"/]+)"/g)].map(
      ([, to]) => to as string,
    )
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    refsOf(from).some((next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))))
  return new Set(Object.keys((root.$defs ?? {}) as Node).filter((name) => reaches(name, name)))
}

// ---- rules of several hosts ---------------------------------------------------------------------

const plainRoot: Rule = (node, path) =>
  path === '' &&
  ((node.type !== 'object' && `type is ${JSON.stringify(node.type)}`) ||
    ['anyOf', 'oneOf', 'allOf', 'enum', 'not', 'const', '$ref', 'if'].find((keyword) => keyword in node) ||
    (!isObject(node.properties) && 'object schema missing properties'))

const whole: Rule = (node, _, root) => {
  if (typesOf(node).includes('array') && !isObject(node.items)) return 'array schema missing items'
  if (Array.isArray(node.items)) return 'items is a list'
  if (node.required !== undefined && !Array.isArray(node.required)) return 'required is no list'
  if (listOf(node.required).some((name) => !Object.hasOwn((node.properties ?? {}) as object, String(name))))
    return 'required names are not declared'
  if (typeof node.exclusiveMinimum === 'boolean' || typeof node.exclusiveMaximum === 'boolean') return 'a boolean limit'
  if (node.type !== undefined && typesOf(node).some((type) => typeof type !== 'string' || type === ''))
    return 'a type that is none'
  if (typeof node.$ref !== 'string') return undefined
  const name = /^#\/\$defs\/([^/]+)$/.exec(node.$ref)?.[1]
  return name === undefined || !Object.hasOwn((root.$defs ?? {}) as object, name)
    ? `a dangling reference ${node.$ref}`
    : undefined
}

const names =
  (pattern: RegExp): Rule =>
  (node, path) =>
    path === '' && Object.keys((node.properties ?? {}) as object).find((name) => !pattern.test(name))

const refuses =
  (pattern: RegExp): Rule =>
  (node) =>
    Object.keys(node).find((keyword) => pattern.test(keyword))

const limits =
  (characters: number, entries: number): Rule =>
  (node) =>
    Object.entries(node).find(([keyword, value]) =>
      /^m(?:in|ax)Length$/.test(keyword)
        ? Number(value) > characters
        : /^m(?:in|ax)Items$/.test(keyword) && Number(value) > entries,
    )?.[0]

const notBeside =
  (allowed: RegExp): Rule =>
  (node) =>
    '$ref' in node && Object.keys(node).find((keyword) => keyword !== '$ref' && !allowed.test(keyword))

const finite: Rule = (node, _, root) =>
  typeof node.$ref === 'string' && recursiveIn(root).has(node.$ref.replace('#/$defs/', '')) && 'a reference to itself'

// ---- hosts --------------------------------------------------------------------------------------

const openaiKeywords =
  /^(?:type|properties|required|additionalProperties|items|anyOf|enum|const|\$ref|\$defs|title|description|format|pattern|multipleOf|minimum|maximum|exclusiveMinimum|exclusiveMaximum|minItems|maxItems)$/
const openaiFormats = /^(?:date-time|time|date|duration|email|hostname|ipv4|ipv6|uuid)$/

/** OpenAI holds strict tools to more. */
export const openaiStrict: Rule = (node) => {
  const unknown = Object.keys(node).find((keyword) => !openaiKeywords.test(keyword))
  if (unknown !== undefined) return `'${unknown}' is not permitted`
  if (typeof node.format === 'string' && !openaiFormats.test(node.format)) return `format ${node.format}`
  if ('$ref' in node && Object.keys(node).length > 1) return '$ref cannot have keywords beside it'
  if (!['type', 'anyOf', '$ref'].some((keyword) => keyword in node)) return "schema must have a 'type' key"
  if (!typesOf(node).includes('object') && node.properties === undefined) return undefined
  const missing = Object.keys((node.properties ?? {}) as object).find((name) => !listOf(node.required).includes(name))
  return node.additionalProperties !== false
    ? 'additionalProperties must be false'
    : missing && `${missing} is not required`
}

/** Anthropic holds strict tools to more. */
export const anthropicStrict: Rule = (node, path, root) =>
  refuses(/^(?:minimum|maximum|exclusive\w+|multipleOf|minLength|maxLength|pattern|maxItems)$/)(node, path, root) ||
  finite(node, path, root) ||
  (isObject(node.additionalProperties) && 'additionalProperties with a schema')

/** Why Anthropic and Bedrock refuse the schema of an answer: egonSchiele/agency-lang#487, veryfront/veryfront-code#3918, the official SDK. */
export function refusalsOfAnswer(root: JsonObject): readonly string[] {
  const keywords = /^(?:m(?:in|ax)imum|exclusive\w+|multipleOf|pattern\w*|maxItems|prefixItems|oneOf|propertyNames)$/
  const rule: Rule = (node, path) => {
    if (!['type', 'anyOf', 'allOf', 'enum', 'const', '$ref'].some((keyword) => keyword in node)) return 'no type'
    if (Number(node.minItems ?? 0) > 1) return 'minItems over 1'
    if (node.$ref === '#') return 'a reference to itself'
    const isOpen = typesOf(node).includes('object') && node.additionalProperties !== false
    if (isOpen) return "for 'object' type, 'additionalProperties' must be explicitly set to false"
    return refuses(keywords)(node, path, root) ?? finite(node, path, root)
  }
  return schemasIn(root).flatMap(([node, path]) => {
    if (node === false && path.endsWith('.additionalProperties')) return []
    const finding = isObject(node) ? rule(node, path, root) : `${JSON.stringify(node)} is no schema`
    return finding ? [`${path}: ${finding}`] : []
  })
}

const google: readonly Rule[] = [
  names(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/),
  notBeside(/^(?:description|default)$/),
  (node) => 'allOf' in node && 'allOf is not read',
]

const isStringList = (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === 'string')

/** The rules of hosts, by format, or by provider where many share one. Every host has those of {@link everyHost}. */
export const hostRules: Readonly<Record<string, readonly Rule[]>> = {
  anthropic: [names(/^[a-zA-Z0-9_.-]{1,64}$/)],
  'bedrock-converse': [names(/^[a-zA-Z0-9_.-]{1,64}$/)],
  gemini: google,
  'gemini-interactions': google,
  cohere: [refuses(/^(?:oneOf|allOf|minimum|maximum|exclusive(?:Min|Max)imum|m(?:in|ax)Length|m(?:in|ax)Items)$/)],
  ollama: [
    (node, path) => path === '' && typeof node.type !== 'string' && 'type is no text',
    (node) =>
      node.required !== undefined && !isStringList(node.required) ? 'required is no list of texts' : undefined,
    (node) =>
      node.description !== undefined && typeof node.description !== 'string' ? 'description is no text' : undefined,
    (node) => (node.enum !== undefined && !Array.isArray(node.enum) ? 'enum is no list' : undefined),
  ],
  mistral: [refuses(/^\$(?:schema|id)$/)],
  groq: [
    (node) => 'required' in node && !isObject(node.properties) && "'required' present but 'properties' is missing",
  ],
  xai: [finite, limits(2048, 256)],
  vllm: [
    refuses(/^(?:multipleOf|uniqueItems|contains|minContains|maxContains|patternProperties|propertyNames)$/),
    (node) =>
      typeof node.format === 'string' &&
      !/^(?:email|date|time|date-time|duration|ipv4|ipv6|hostname|uuid|uri|uri-reference|uri-template|json-pointer|relative-json-pointer)$/.test(
        node.format,
      ) &&
      `format ${node.format}`,
  ],
  llamacpp: [limits(1999, 1999)],
  lmstudio: [limits(1999, 1999)],
  moonshot: [
    (node) => 'type' in node && 'anyOf' in node && 'type should be defined in anyOf items',
    refuses(/^prefixItems$/),
  ],
}
const everyHost: readonly Rule[] = [plainRoot, whole]

/** Why a host refuses the schema of a tool. Empty if it takes it. */
export function refusalsOf(
  { name, provider }: { readonly name: string; readonly provider: string },
  schema: JsonObject,
  more: readonly Rule[] = [],
): readonly string[] {
  const shared = name === 'openai-chat' || name === 'openai-responses'
  const rules = [...everyHost, ...(hostRules[shared && provider !== 'gemini' ? provider : name] ?? []), ...more]
  return schemasIn(schema).flatMap(([node, path]) => {
    if (typeof node === 'boolean' && /\.(?:additional|unevaluated)\w+$/.test(path)) return []
    if (!isObject(node)) return [`${path}: ${JSON.stringify(node)} is no schema`]
    return rules.flatMap((rule) => rule(node, path, schema) || []).map((finding) => `${path}: ${finding}`)
  })
}

/** vLLM joins the definitions of all tools. */
export function sharedDefinitions(schemas: readonly JsonObject[]): readonly string[] {
  const all = new Map<string, string>()
  return schemas.flatMap(({ $defs = {} }) =>
    Object.entries($defs as JsonObject).flatMap(([name, one]) => {
      const text = JSON.stringify(one)
      const isOther = all.has(name) && all.get(name) !== text
      all.set(name, text)
      return isOther ? [`Tool definition '${name}' has multiple schemas, which is not supported.`] : []
    }),
  )
}
