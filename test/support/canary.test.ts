/** The search on which all claims about keys rest. */
import { describe, expect, it } from 'vitest'
import { canary, disguises, holdsCanary } from './canary.ts'

const names = Object.keys(disguises)
const disguise = (name: string, key = canary) => disguises[name]?.(key) ?? ''
const chunk = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`

describe('holdsCanary', () => {
  it.each(names)('finds the key in a text: %s', (name) => {
    expect(holdsCanary(`Incorrect API key provided: ${disguise(name)}. Try again`)).toBe(true)
  })

  it.each(names)('finds the key in JSON: %s', (name) => {
    expect(holdsCanary(JSON.stringify({ error: { message: `of ${disguise(name)}!` } }))).toBe(true)
  })

  it.each(names)('finds the key in two pieces, cut anywhere: %s', (name) => {
    const whole = `The key is ${disguise(name)}`
    for (let at = 1; at < whole.length; at++) {
      expect(holdsCanary(`${chunk(whole.slice(0, at)) + chunk(whole.slice(at))}data: [DONE]\n\n`), `${at}`).toBe(true)
    }
  })

  it.each(names)('does not find another key: %s', (name) => {
    const other = 'sk-canary/Aq8+Bn3~Ck5.Dh7-Ev9='
    expect(holdsCanary(`Incorrect API key provided: ${disguise(name, other)}`)).toBe(false)
    expect(holdsCanary(chunk(disguise(name, other)))).toBe(false)
  })

  it('does not find a key that was cut out', () => {
    expect(holdsCanary(`data: {"a":"sk[redacted]"}\n\n${chunk('sk-')}${chunk('[redacted]')}`)).toBe(false)
    expect(holdsCanary(canary.slice(0, -1))).toBe(false)
  })
})
