/**
 * Names of parameters that a host does not take, such as `filter[id]` or `$top`: they are sent under other names, and calls come back under
 * the caller's.
 *
 * @module
 */
import type { BlockKey, CallFragment, Fragment, Frame, ParameterNames } from '../../core/codec.ts'
import { compact } from '../../core/json.ts'
import type { JsonObject } from '../../core/messages.ts'
import type { Machine } from '../../core/reducer.ts'
import { changeFragments } from './change-fragments.ts'

/** Names by other names. */
type Names = ReadonlyMap<string, string>

/** The object with other names of its fields, in the same order. */
export function renameFields(value: JsonObject, names: Names): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [names.get(name) ?? name, one]))
}

/** The decoder of a stream, with the caller's names in the arguments of calls. */
export function withOwnNames(
  decoder: Machine<Frame, Fragment>,
  parameterNames: ParameterNames | undefined,
): Machine<Frame, Fragment> {
  if (parameterNames === undefined) return decoder
  const naming = newNaming(parameterNames)
  return changeFragments(decoder, naming.change, naming.flush)
}

/** The same for the fragments of a whole answer. */
export function allWithOwnNames(fragments: Fragment[], parameterNames: ParameterNames | undefined): Fragment[] {
  if (parameterNames === undefined) return fragments
  const naming = newNaming(parameterNames)
  const out: Fragment[] = []
  for (const fragment of fragments) naming.change(fragment, out)
  naming.flush(out)
  return out
}

function newNaming(parameterNames: ParameterNames) {
  /** The calls whose arguments are renamed. */
  const calls = new Map<BlockKey | undefined, { readonly names: Names; readonly rename: Renamer }>()

  function change(fragment: Fragment, out: Fragment[]): void {
    if (fragment.type === 'call') out.push(renamed(fragment))
    else {
      if (fragment.type === 'close') finish(fragment.key, out)
      if (fragment.type === 'end') flush(out)
      out.push(fragment)
    }
  }

  function renamed(fragment: CallFragment): CallFragment {
    const { key, name, arguments: given, argumentsText, final, server } = fragment
    const own = server ? undefined : parameterNames.get(name ?? '')
    if (own && !calls.has(key)) calls.set(key, { names: own, rename: renamer(own) })
    const call = calls.get(key)
    if (call === undefined || given === undefined) return fragment
    const { names, rename } = call
    if (typeof given === 'string')
      return { ...fragment, arguments: final ? renamer(names)(given, true) : rename(given, false) }
    const text = argumentsText === undefined ? {} : { argumentsText: renamer(names)(argumentsText, true) }
    return { ...fragment, arguments: renameFields(given, names), ...text }
  }

  /** Passes on the beginning of a name that did not end. */
  function finish(key: BlockKey | undefined, out: Fragment[]): void {
    const rest = calls.get(key)?.rename('', true) ?? ''
    calls.delete(key)
    if (rest !== '') out.push(compact({ type: 'call', arguments: rest, key }))
  }

  function flush(out: Fragment[]): void {
    for (const key of [...calls.keys()]) finish(key, out)
  }

  return { change, flush }
}

/** Takes a piece of an object's JSON text, and returns it with other names of its fields. It holds back a name that has not ended. */
type Renamer = (piece: string, isLast: boolean) => string

function renamer(names: Names): Renamer {
  let depth = 0
  let isName = false
  let inString = false
  let isEscaped = false
  let held = ''

  return (piece, isLast) => {
    let out = ''
    for (const char of piece) {
      const isHeld = held !== '' || (char === '"' && isName && depth === 1 && !inString)
      if (isHeld) held += char
      else out += char
      if (isEscaped) isEscaped = false
      else if (char === '\\') isEscaped = inString
      else if (char === '"') {
        inString = !inString
        if (!inString && isHeld) {
          out += renamedText(held, names)
          held = ''
        }
      } else if (inString) continue
      else if (char === '{' || char === '[') depth++
      else if (char === '}' || char === ']') depth--
      isName = !inString && (char === '{' || char === ',' || (isName && /\s/.test(char)))
    }
    const rest = isLast ? held : ''
    return out + rest
  }
}

/** The name of a field, as JSON text. */
function renamedText(text: string, names: Names): string {
  try {
    const name = names.get(JSON.parse(text))
    return name === undefined ? text : JSON.stringify(name)
  } catch {
    return text // it is not JSON
  }
}
