/** JSON values made wrong at one place. */

export type Path = readonly (string | number)[]

/** Every place of a value, the whole first. */
export function* placesOf(value: unknown, path: Path = []): Generator<Path> {
  yield path
  if (Array.isArray(value)) {
    for (const [at, one] of value.entries()) yield* placesOf(one, [...path, at])
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, one] of Object.entries(value)) yield* placesOf(one, [...path, key])
  }
}

/** Fields whose value is free: a schema, arguments, metadata, the JSON of a result. */
const freeFields =
  /^(?:parameters\w*|input_?[sS]chema|json|arguments|args|input|response|schema|responseJsonSchema|metadata)$/

/** The places of the objects of a request whose fields its format defines. */
export function definedObjectsOf(body: unknown): readonly Path[] {
  return [...placesOf(body)].filter((path) => {
    const value = valueAt(body, path)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject && path[0] !== 'format' && !path.some((step, at) => at > 0 && freeFields.test(`${step}`))
  })
}

/** One place of one body. */
export interface Trial {
  readonly body: unknown
  readonly path: Path
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce((inner, step) => Object(inner)[step], value)
}

/** Each place of the bodies, once for each shape, for the names of the fields beside it, and for what `about` says of it. */
export function trialsOf(bodies: readonly unknown[], about: (trial: Trial) => string = () => ''): readonly Trial[] {
  const tried = new Set<string>()
  return bodies.flatMap((body) =>
    [...placesOf(body)].flatMap((path) => {
      const beside = Object.keys(Object(valueAt(body, path.slice(0, -1))))
      const shape = `${shapeOf(path)} ${beside.join()} ${about({ body, path })}`
      if (path.length === 0 || tried.has(shape)) return []
      tried.add(shape)
      return [{ body, path }]
    }),
  )
}

/** A place whatever its number in a list: what is read by the same code. */
export function shapeOf(path: Path): string {
  return path.map((step) => (typeof step === 'number' ? '[]' : `.${step}`)).join('')
}

/** Stands for "not there". */
export const missing: unique symbol = Symbol('missing')

/** The value with something else at one place; all other places are the same objects. */
export function replaceAt(value: unknown, path: Path, change: (before: unknown) => unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return change(value)
  if (Array.isArray(value)) {
    const list: unknown[] = [...value]
    const made = replaceAt(list[step as number], rest, change)
    if (made === missing) list.splice(step as number, 1)
    else list[step as number] = made
    return list
  }
  const fields = value as Record<string, unknown>
  const made = replaceAt(fields[step], rest, change)
  if (made !== missing) return { ...fields, [step]: made }
  return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== step))
}

const depth = 10_000
const deepTexts = ['['.repeat(depth) + ']'.repeat(depth), `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`] as const
const [deepList, deepObject] = deepTexts.map((text): unknown => JSON.parse(text))

/** As JSON, with what is too deep for `JSON.stringify`. */
export function stringify(value: unknown): string {
  // A replacer takes ten times as long.
  return holdsDeep(value) ? stringifyDeep(value) : JSON.stringify(value)
}

function holdsDeep(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return value === deepList || value === deepObject || Object.values(value).some(holdsDeep)
}

function stringifyDeep(value: unknown): string {
  const marks = new Map([
    [deepList, deepTexts[0]],
    [deepObject, deepTexts[1]],
  ])
  const holes: string[] = []
  const text = JSON.stringify(value, (_key, one) => {
    const deep = marks.get(one)
    if (deep === undefined) return one
    holes.push(deep)
    return '\u0001deep'
  })
  return holes.reduce((whole, deep) => whole.replace('"\\u0001deep"', deep), text)
}

/** A value with an own field `__proto__`, as `JSON.parse` makes it. */
function withProto(before: unknown): unknown {
  const made = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}')
  if (typeof before !== 'object' || before === null || Array.isArray(before)) return made
  for (const [key, one] of Object.entries(before)) if (key !== 'constructor') made[key] = one
  return made
}

const types: readonly unknown[] = ['a string', 7, true, [], {}, [null], [[]], { type: 7 }]

/** Ways to be wrong, by name. `random` picks among wrong types. */
export const mutations: Readonly<Record<string, (before: unknown, random: () => number) => unknown>> = {
  'wrong type': (before, random) => {
    const others = types.filter((one) => typeof one !== typeof before || Array.isArray(one) !== Array.isArray(before))
    return others[Math.floor(random() * others.length)]
  },
  null: () => null,
  missing: () => missing,
  'deep list': () => deepList,
  'deep object': () => deepObject,
  'giant number': () => Number.MAX_VALUE,
  'negative fraction': () => -1.5,
  __proto__: withProto,
  'lone surrogate': () => 'a\ud800b\udc00',
  'empty string': () => '',
  'word of every object': () => 'constructor',
  /** Neither a template nor an addition can take it. */
  'no text and no number': () => ({ toString: 1, valueOf: 1 }),
}
