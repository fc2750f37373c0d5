import { describe, expect, it } from 'vitest'
import type { RequestOptions, ToolDefinition } from '../../../src/core/messages.ts'
import { encodeDefinitions, encodeRequest } from '../../../src/formats/ollama/index.ts'

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const weather: ToolDefinition = { name: 'weather', description: 'The weather', parameters }
const clock: ToolDefinition = { name: 'clock' }

describe('encodeDefinitions', () => {
  it('writes out the references that the server would drop', () => {
    const schema = {
      type: 'object',
      properties: {
        from: { $ref: '#/$defs/place', description: 'Start' },
        via: { type: 'array', items: { $ref: '#/$defs/place' } },
        mode: { enum: [{ $ref: '#/$defs/place' }] },
      },
      $defs: { place: { type: 'object', properties: { city: { $ref: '#/definitions/name' } } } },
      definitions: { name: { type: 'string' } },
    }
    const place = { type: 'object', properties: { city: { type: 'string' } } }
    expect(encodeDefinitions([{ name: 'go', parameters: schema }])[0]?.function.parameters).toEqual({
      type: 'object',
      properties: {
        from: { ...place, description: 'Start' },
        via: { type: 'array', items: place },
        mode: { enum: [{ $ref: '#/$defs/place' }] },
      },
    })
  })

  it('leaves a reference that names itself, with the definitions', () => {
    const $defs = { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } }
    const schema = { type: 'object', properties: { head: { $ref: '#/$defs/node' } }, $defs }
    const sent = encodeDefinitions([{ name: 'list', parameters: schema }])[0]?.function.parameters
    expect(sent).toEqual({ type: 'object', properties: { head: $defs.node }, $defs })
  })

  it.each([
    ['names nothing', {}],
    ['is of another document', { node: { $ref: 'https://example.com/schema.json' } }],
  ])('leaves out a reference that %s', (_, $defs) => {
    const schema = { type: 'object', properties: { head: { $ref: '#/$defs/node' } }, $defs }
    const { body, losses } = encodeRequest(
      { messages: [], tools: [{ name: 'list', parameters: schema }] },
      { model: 'm', strict: false },
    )
    expect(body.tools?.[0]?.function.parameters).toEqual({ type: 'object', properties: { head: {} } })
    expect(losses).toMatchObject([{ action: 'changed', path: 'tools[0].parameters', severity: 'minor' }])
  })

  it('keeps the references of a schema that would fill the memory without them', () => {
    const $defs: Record<string, unknown> = { d0: { type: 'string' } }
    for (let level = 1; level <= 30; level++) {
      const $ref = `#/$defs/d${level - 1}`
      $defs[`d${level}`] = { type: 'object', properties: { a: { $ref }, b: { $ref } } }
    }
    const schema = { type: 'object', properties: { bomb: { $ref: '#/$defs/d30' } }, $defs }
    const sent = encodeDefinitions([{ name: 'f', parameters: schema }])[0]?.function.parameters
    expect(JSON.stringify(sent).length).toBeLessThan(1_000_000)
    expect(sent?.$defs).toMatchObject({ d1: $defs.d1 })
  })
})

describe('tool choice, which the wire has not', () => {
  const names = (toolChoice: RequestOptions['toolChoice'] | undefined) => {
    const context = { messages: [], tools: [weather, clock] }
    const { body, losses } = encodeRequest(context, { model: 'm', ...(toolChoice !== undefined && { toolChoice }) })
    return [body.tools?.map((tool) => tool.function.name), losses.map(({ path, action }) => `${path} ${action}`)]
  }

  it.each<[RequestOptions['toolChoice'] | undefined, string[] | undefined, string[]]>([
    [undefined, ['weather', 'clock'], []],
    ['auto', ['weather', 'clock'], []],
    ['none', undefined, ['tools[0] dropped', 'tools[1] dropped']],
    ['required', ['weather', 'clock'], ['options.toolChoice dropped']],
    [{ name: 'clock' }, ['clock'], ['options.toolChoice changed', 'tools[0] dropped']],
    [{ names: ['clock'], mode: 'auto' }, ['clock'], ['tools[0] dropped']],
    [{ names: ['weather', 'clock'], mode: 'required' }, ['weather', 'clock'], ['options.toolChoice changed']],
  ])('for %j sends the tools %j with losses %j', (choice, tools, losses) => {
    expect(names(choice)).toEqual([tools, losses])
  })
})
