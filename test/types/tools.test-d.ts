/** The types of a tool's arguments follow from its schema, and so does the type of structured output. Checked by the compiler. */
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { z } from 'zod'
import type { ArgumentsOf } from '../../src/codec.ts'
import { generateObject, type Model, streamObject, type Tool, t, tool } from '../../src/index.ts'
import type { McpClient } from '../../src/mcp.ts'
import type { JsonObject } from '../../src/messages/index.ts'

type Equal<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false
type Flat<T> = { [Key in keyof T]: T[Key] }
function same<One, Other>(
  ..._: Equal<Flat<One>, Flat<Other>> extends true ? [] : ['these types differ', One, Other]
): void {}

interface Weather {
  city: string
  days?: number
}

// ---- t ------------------------------------------------------------------------------------------

const byT = t.object({ city: t.string(), days: t.optional(t.integer()) })
same<ArgumentsOf<typeof byT>, Weather>()
tool({ name: 'a', parameters: byT, execute: ({ city, days }) => `${city.length} ${days?.toFixed()}` })

const nested = t.object({
  unit: t.oneOf(['C', 'F']),
  list: t.array(t.object({ at: t.number(), ok: t.optional(t.boolean()) })),
})
type Nested = ArgumentsOf<typeof nested>
same<{ unit: Nested['unit'] }, { unit: 'C' | 'F' }>()
same<Nested['list'][number], { at: number; ok?: boolean }>()
same<{ it: ArgumentsOf<ReturnType<typeof t.schema<Date>>> }, { it: Date }>()

// ---- libraries ----------------------------------------------------------------------------------

const byZod = z.object({ city: z.string(), days: z.number().optional() })
same<ArgumentsOf<typeof byZod>, { city: string; days?: number | undefined }>()
tool({ name: 'a', parameters: byZod, execute: ({ city, days }) => `${city.length} ${days?.toFixed()}` })
const converted = z.object({ at: z.string().transform((text) => text.length), by: z.string().default('me') })
same<ArgumentsOf<typeof converted>, { at: number; by: string }>()

const byArk = type({ city: 'string', 'days?': 'number' })
same<ArgumentsOf<typeof byArk>, Weather>()
tool({ name: 'a', parameters: byArk, execute: ({ city, days }) => `${city.length} ${days?.toFixed()}` })

const byValibot = toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number()) }))
same<ArgumentsOf<typeof byValibot>, { city: string; days?: number | undefined }>()
tool({ name: 'a', parameters: byValibot, execute: ({ city, days }) => `${city.length} ${days?.toFixed()}` })

// ---- no types -----------------------------------------------------------------------------------

const byJson = { type: 'object', properties: { city: { type: 'string' } } } as const
same<ArgumentsOf<typeof byJson>, JsonObject>()
tool({ name: 'a', parameters: byJson, execute: (args) => Object.keys(args) })
tool({ name: 'a', execute: (args) => Object.keys(args) })

// ---- what does not compile ----------------------------------------------------------------------

// @ts-expect-error: the city is not a number
tool({ name: 'a', parameters: byT, execute: ({ city }) => city.toFixed() })
// @ts-expect-error: there is no such argument
tool({ name: 'a', parameters: byZod, execute: ({ town }) => town })
// @ts-expect-error: what is optional may be absent
tool({ name: 'a', parameters: byT, execute: ({ days }) => days.toFixed() })
// @ts-expect-error: a tool has a name
tool({ execute: () => '' })

// ---- tools of different arguments fit one list --------------------------------------------------

export const tools: readonly Tool[] = [
  tool({ name: 'a', parameters: byT, execute: ({ city }) => city }),
  tool({ name: 'b', parameters: byZod, execute: ({ city }) => city }),
  tool({ name: 'c', execute: () => '' }),
]

// ---- values -------------------------------------------------------------------------------------

export async function values(model: Model): Promise<void> {
  const { object } = await generateObject({ model, prompt: 'x', schema: byZod })
  same<typeof object, { city: string; days?: number | undefined }>()
  const { object: list } = await generateObject({ model, prompt: 'x', schema: t.array(t.string()) })
  same<{ it: typeof list }, { it: string[] }>()
  const { object: unknownValue } = await generateObject({ model, prompt: 'x', schema: { type: 'object' } })
  same<{ it: typeof unknownValue }, { it: unknown }>()
  for await (const view of streamObject({ model, prompt: 'x', schema: nested })) {
    same<{ it: typeof view.unit }, { it: 'C' | 'F' | undefined }>()
    view.list?.[0]?.at?.toFixed()
  }
  // @ts-expect-error: no tools are offered when a value is asked for
  await generateObject({ model, prompt: 'x', schema: byT, tools: [] })
}

// ---- the official MCP client is what `mcpTools` takes -------------------------------------------

export type ClientFits = import('@modelcontextprotocol/sdk/client/index.js').Client extends McpClient ? true : never
export const clientFits: ClientFits = true
