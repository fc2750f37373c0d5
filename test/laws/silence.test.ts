/** Nothing is lost in silence: whatever a request holds is in its body or among its losses, on every wire. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { targets } from '../handoff/matrix.ts'
import { madeRequests } from '../support/made-requests.ts'
import { silencesOf } from '../support/silence.ts'

const models: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['claude-sonnet-5', 'claude-sonnet-4-5'],
  gemini: ['gemini-3-flash', 'gemini-2.5-flash'],
  ollama: ['qwen3:8b'],
}

const found: string[] = []
describe.each(targets)('$name', ({ name, client }) => {
  it.each(models[client.name] ?? ['gpt-5'])(
    'D11: reports what it does not send of made-up conversations, to %s',
    (model) => {
      const silent = madeRequests(model).flatMap((asked) => {
        const encode = (one: typeof asked) => client.encodeRequest(one.context, { ...one.options, strict: false })
        return silencesOf(asked, encode).map((path) => `${path} of ${JSON.stringify(asked)}`)
      })
      if (process.env.FOUND) {
        found.push(...silent.map((s) => `${name} ${model}: ${s}`))
        writeFileSync(process.env.FOUND, found.join('\n'))
      }
      expect(silent).toEqual([])
    },
  )
})
