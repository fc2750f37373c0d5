/**
 * Finds why Gemini would answer with a 400. Written only from wire/gemini.md (§2, §2.1, §2.2, §2.4, §6), and from the pages that are named beside
 * a rule.
 */
import {
  type Findings,
  isBase64,
  isObject,
  list,
  object,
  type Refusals,
  type Validator,
  validator,
  type Wire,
  withTurns,
  words,
} from '../validator.ts'

const bodyKeys = words(
  'contents systemInstruction tools toolConfig safetySettings cachedContent continuationToken labels serviceTier store generationConfig',
)
const dataKeys = words(
  'text inlineData fileData functionCall functionResponse executableCode codeExecutionResult toolCall toolResponse',
)
const partKeys = new Set([...dataKeys, ...words('thought thoughtSignature videoMetadata mediaResolution partMetadata')])
/** §2.2: `parameters` has no such words. */
const notInOpenApi = words('$ref $defs additionalProperties const oneOf allOf not')

/**
 * "Requests ending with a model turn are not supported": from 3.5 Flash-Lite and 3.6 on (ai.google.dev, "What's new in Gemini 3.6 Flash and 3.5
 * Flash-Lite"; tried live: LibreChat-AI/agents#323).
 */
const withoutPrefill = /gemini-(?:3\.[6-9]|3\.5-flash-lite|[4-9])/

/** The validator for one host and model. */
export function validatorOf(provider: string, model = ''): Validator {
  return validator((body, found) => {
    check(body, found)
    const contents = list(body.contents)
    if (!/gemini-[12](?!\d)/.test(model)) checkSignatures(contents, found)
    const isRefused = withoutPrefill.test(model) && contents.at(-1)?.role === 'model'
    found.check(!isRefused, 'contents', 'Requests ending with a model turn are not supported')
    // §8: Vertex has "no ids in calls".
    const called = contents.flatMap((content) => [...calls(content), ...responses(content)])
    found.check(!/vertex/.test(provider) || called.every(({ id }) => id === undefined), 'contents', 'an id of a call')
  })
}

function check(body: Wire, found: Findings): void {
  found.keys(body, bodyKeys, 'body')
  if ('systemInstruction' in body) {
    const parts = list(object(body.systemInstruction).parts)
    found.check(parts.length > 0, 'systemInstruction', 'must include at least one parts field')
    for (const part of parts) found.text(part.text, 'systemInstruction.parts')
  }
  checkTools(list(body.tools), body, found)
  checkContents(list(body.contents), found)
}

function checkTools(tools: readonly Wire[], body: Wire, found: Findings): void {
  const declarations = tools.flatMap((tool) => list(tool.functionDeclarations))
  if ('functionCallingConfig' in object(body.toolConfig))
    found.check(declarations.length > 0, 'toolConfig', 'functionCallingConfig with no declarations')
  declarations.forEach((declaration, at) => {
    const path = `tools.functionDeclarations[${at}]`
    found.match(declaration.name, /^[A-Za-z_][\w.:-]{0,127}$/, `${path}.name`)
    found.check(!('parameters' in declaration && 'parametersJsonSchema' in declaration), path, 'has both schemas')
    if (isObject(declaration.parameters)) checkOpenApi(declaration.parameters, `${path}.parameters`, found)
  })
}

function checkOpenApi(schema: Wire, path: string, found: Findings): void {
  for (const key of Object.keys(schema)) found.check(!notInOpenApi.has(key), path, `Unknown name "${key}"`)
  found.check(!Array.isArray(schema.type), path, 'a list of types')
  for (const [name, one] of Object.entries(object(schema.properties)))
    checkOpenApi(object(one), `${path}.${name}`, found)
  if (isObject(schema.items)) checkOpenApi(schema.items, `${path}.items`, found)
}

const calls = (content: Wire | undefined) => list(content?.parts).flatMap((part) => named(part.functionCall))
const responses = (content: Wire | undefined) => list(content?.parts).flatMap((part) => named(part.functionResponse))
const named = (value: unknown) => (isObject(value) ? [value] : [])

function checkContents(contents: readonly Wire[], found: Findings): void {
  found.check(contents.length > 0, 'contents', 'is empty')
  found.check(contents[0]?.role !== 'model', 'contents', 'the first content is the model’s')
  contents.forEach((content, at) => {
    const path = `contents[${at}]`
    const before = contents[at - 1]
    found.keys(content, words('role parts'), path)
    found.check(content.role === 'user' || content.role === 'model', path, `role "${content.role}"`)
    found.check(
      content.role !== before?.role || responses(before).length > 0,
      path,
      'neighbours of one role: merge them',
    )
    const parts = list(content.parts)
    found.check(parts.length > 0, path, 'must include at least one parts field')
    parts.forEach((part, index) => {
      checkPart(part, content.role, `${path}.parts[${index}]`, found)
    })
    checkResponses(content, before, path, found)
    if (calls(content).length > 0)
      found.check(before?.role === 'user', path, 'function call turn comes immediately after a user turn')
  })
  found.check(calls(contents.at(-1)).length === 0, 'contents', 'ends with calls that have no responses')
}

function checkResponses(content: Wire, before: Wire | undefined, path: string, found: Findings): void {
  const given = responses(content)
  const due = before?.role === 'model' ? calls(before) : []
  found.check(given.length === due.length, path, `${given.length} function response parts for ${due.length} call parts`)
  // §2.1: "With no id, calls and responses match by name and order".
  found.check(
    String(given.map(({ name }) => name)) === String(due.map(({ name }) => name)),
    path,
    'responses do not match their calls by name and order',
  )
  for (const [at, { id }] of given.entries())
    if (id !== undefined) found.check(id === due[at]?.id, path, `a response with the id "${id}" of no call`)
  const isMixed = given.length > 0 && list(content.parts).some((part) => !isObject(part.functionResponse))
  found.check(!isMixed, path, 'functionResponse mixed with other parts')
}

function checkPart(part: Wire, role: unknown, path: string, found: Findings): void {
  found.keys(part, partKeys, path)
  const data = Object.keys(part).filter((key) => dataKeys.has(key))
  const isOfTomorrow = data.length === 0 && Object.keys(part).some((key) => !partKeys.has(key))
  found.check(data.length === 1 || isOfTomorrow, path, `${data.length} data fields`)
  const { text, inlineData, fileData, functionCall, functionResponse, thoughtSignature } = part
  if (text !== undefined && found.text(text, `${path}.text`))
    found.check(text !== '' || thoughtSignature !== undefined, path, 'a part with no data')
  if (inlineData !== undefined) {
    found.match(object(inlineData).mimeType, /^\w+\/[\w.+-]+/, `${path}.inlineData.mimeType`)
    found.check(isBase64(object(inlineData).data), `${path}.inlineData.data`, 'is not raw base64')
  }
  if (fileData !== undefined) found.text(object(fileData).fileUri, `${path}.fileData.fileUri`)
  if (functionCall !== undefined) {
    const { name, args } = object(functionCall)
    // §4: `partialArgs` and `willContinue` stand only in streams of Vertex.
    found.keys(object(functionCall), words('id name args'), `${path}.functionCall`)
    found.check(role === 'model', path, 'a call in a user content')
    found.match(name, /^[A-Za-z_][\w.:-]{0,127}$/, `${path}.functionCall.name`)
    if (args !== undefined) found.check(isObject(args), `${path}.functionCall.args`, 'is not an object')
  }
  if (functionResponse !== undefined) {
    found.check(role === 'user', path, 'a response in a content of the model')
    found.text(object(functionResponse).name, `${path}.functionResponse.name`)
    found.check(isObject(object(functionResponse).response), `${path}.functionResponse.response`, 'is not an object')
  }
  if (thoughtSignature !== undefined)
    found.check(isBase64(thoughtSignature), `${path}.thoughtSignature`, 'is not valid base64')
}

/** §2.4 and §6, Gemini 3: in the current turn the first call of each step is signed. */
function checkSignatures(contents: readonly Wire[], found: Findings): void {
  const isAsked = (content: Wire) => content.role === 'user' && responses(content).length === 0
  const start = contents.findLastIndex(isAsked)
  contents.forEach((content, at) => {
    if (at < start) return
    const first = list(content.parts).find((part) => part.functionCall !== undefined)
    if (first === undefined) return
    const isSigned = typeof first.thoughtSignature === 'string'
    found.check(isSigned, `contents[${at}]`, 'Function call is missing a thought_signature in functionCall parts')
  })
}

const says = (...parts: unknown[]) => ({ role: 'model', parts })
const hears = (...parts: unknown[]) => ({ role: 'user', parts })
const text = (value: string) => ({ text: value })
const call = (name: string) => ({ functionCall: { name, args: {} } })
const signed = (name: string) => ({ ...call(name), thoughtSignature: 'c2ln' })
const response = (name: string) => ({ functionResponse: { name, response: { output: 1 } } })
const good = { contents: [hears(text('x')), says(signed('f'), call('g')), hears(response('f'), response('g'))] }

export const refusals: readonly Refusals[] = [
  {
    title: 'Gemini',
    provider: 'gemini',
    good,
    cases: withTurns('contents', [
      ['too few responses', /1 function response parts for 2/, [...good.contents.slice(0, 2), hears(response('f'))]],
      [
        'responses in another order',
        /name and order/,
        [...good.contents.slice(0, 2), hears(response('g'), response('f'))],
      ],
      ['responses among text', /mixed/, [...good.contents.slice(0, 2), hears(response('f'), response('g'), text('x'))]],
      ['a call that nothing precedes', /first content/, [says(signed('f')), hears(response('f'))]],
      ['an unsigned call in this turn', /thought_signature/, [hears(text('x')), says(call('f')), hears(response('f'))]],
      ['no parts', /at least one parts/, [hears()]],
      ['an empty part', /no data/, [hears(text(''))]],
      ['two data fields', /2 data fields/, [hears({ text: 'x', inlineData: { mimeType: 'a/b', data: 'aGk=' } })]],
      [
        'a response that is not an object',
        /response: is not an object/,
        [hears(text('x')), says(signed('f')), hears({ functionResponse: { name: 'f', response: 'x' } })],
      ],
      [
        'a signature that is not valid base64',
        /valid base64/,
        [hears(text('x')), says({ text: 'x', thoughtSignature: '{}' })],
      ],
      [
        'pieces of arguments',
        /unknown field "partialArgs"/,
        [
          hears(text('x')),
          says({ functionCall: { name: 'f', partialArgs: [] }, thoughtSignature: 'c2ln' }),
          hears(response('f')),
        ],
      ],
      ['an unknown field', /unknown field "model"/, { model: 'm' }],
      [
        'references in the older schema',
        /\$ref/,
        {
          tools: [{ functionDeclarations: [{ name: 'f', parameters: { properties: { a: { $ref: '#' } } } }] }],
        },
      ],
      ['an illegal name', /name/, { tools: [{ functionDeclarations: [{ name: '9' }] }] }],
    ]),
  },
  {
    title: 'Gemini 3.8',
    provider: 'gemini',
    model: 'gemini-3.8-flash',
    good,
    cases: withTurns('contents', [
      ['an answer at the end', /ending with a model turn/, [hears(text('x')), says(text('y'))]],
    ]),
  },
  {
    title: 'Gemini on Vertex',
    provider: 'vertex',
    good,
    cases: withTurns('contents', [
      [
        'an id of a call',
        /an id/,
        [
          hears(text('x')),
          says({ functionCall: { id: 'a', name: 'f', args: {} }, thoughtSignature: 'c2ln' }),
          hears(response('f')),
        ],
      ],
    ]),
  },
]
