/**
 * `JSON.parse` for the events of streams, most of which differ from one before in a string or a number or two.
 *
 * What two events have in common is kept as a template. An event that fits one is made from it, in a fourth to a half of the time; every
 * other one goes to `JSON.parse`. The result is the same, and new each time.
 *
 * @module
 */
import { build, type Leaf, learn, matches, type Template } from './json-template.ts'
import { isObject } from './lookup.ts'
import type { JsonObject } from './model.ts'

/** One form of event. */
interface Sample {
  value: JsonObject
  /** Once another event of the form has come. */
  template: Template | undefined
  /** The form of what came behind it the last time, if it was another. */
  next: Sample | undefined
}

/** What streams have taught: those of one wire teach each other, as most are shorter than a lesson. Small: some forms of events. */
export interface JsonMemory {
  readonly samples: Sample[]
  events: number
  lessons: number
}

export function newJsonMemory(): JsonMemory {
  return { samples: [], events: 0, lessons: 0 }
}

/** Longer texts are not learnt from, and not looked up, in UTF-16 units. */
const maxLength = 4096
const maxSamples = 16
/** A lesson costs as much as some ten events do: there are some at first, and then one for so many events. */
const freeLessons = 32
const eventsPerLesson = 64

/**
 * Makes a parser for one stream.
 *
 * @param memory What it learns from and adds to. Default: its own.
 * @throws {SyntaxError} where `JSON.parse` does, and the same one.
 */
export function repeatingJson(memory: JsonMemory = newJsonMemory()): (text: string) => unknown {
  const values: Leaf[] = []
  let last: Sample | undefined

  return (text) => {
    memory.events++
    const sample = text.length > maxLength ? undefined : recognise(memory, text, last, values)
    if (sample?.template === undefined) {
      const value: unknown = JSON.parse(text)
      if (text.length <= maxLength && isObject(value)) study(memory, text)
      return value
    }
    if (last !== undefined && last !== sample) last.next = sample
    last = sample
    return build(sample.template.plan, values)
  }
}

/** The form that the text has: as the one before, or as what came behind that, or any other. */
function recognise(memory: JsonMemory, text: string, last: Sample | undefined, values: Leaf[]): Sample | undefined {
  if (last !== undefined && isLike(last, text, values)) return last
  if (last?.next !== undefined && isLike(last.next, text, values)) return last.next
  return memory.samples.find((sample) => isLike(sample, text, values))
}

function isLike({ template }: Sample, text: string, values: Leaf[]): boolean {
  return template !== undefined && matches(template, text, values)
}

/** Learns from a text that had no template, if it is time for a lesson. */
function study(memory: JsonMemory, text: string): void {
  if ((memory.lessons - freeLessons) * eventsPerLesson >= memory.events) return
  memory.lessons++
  const value: JsonObject = JSON.parse(text) // which nobody else has
  for (const sample of memory.samples) {
    const template = learn(text, value, sample.value, sample.template)
    if (template === undefined) continue
    sample.value = value
    sample.template = template
    return
  }
  const { samples } = memory
  if (samples.length === maxSamples) samples.splice(Math.max(0, samples.findIndex(isIdle)), 1)
  samples.push({ value, template: undefined, next: undefined })
}

/** Of its form, no other event has come. */
function isIdle({ template }: Sample): boolean {
  return template === undefined
}
