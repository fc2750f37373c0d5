import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject, Opaque } from '../src/core/messages.ts'
import { isEnvelope, packProof, unpackEnvelope, unpackProof } from '../src/formats/shared/envelope.ts'

const seed = 20_261_120

const signature: Opaque = {
  provider: 'anthropic',
  model: 'claude-sonnet-5',
  format: 'anthropic',
  data: { signature: 'EqQBCgIYAhIM+/==' },
}

/** An envelope written by hand, as a client could send it. */
function handmade(payload: string, version = 'isoglot/1'): string {
  return btoa(version + payload)
}

const anyText = fc.string({ unit: 'binary' })
const anyData = fc.dictionary(anyText, fc.jsonValue({ maxDepth: 4 })) as fc.Arbitrary<JsonObject>
const anyProof: fc.Arbitrary<Opaque> = fc.record({ provider: anyText, model: anyText, format: anyText, data: anyData })

/** As JSON has it: `-0` is `0` there. */
function asJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value))
}

describe('a proof envelope', () => {
  it('gives back the proof that was packed', () => {
    expect(unpackProof(packProof(signature) ?? '')).toEqual(signature)
  })

  it('is base64 of our mark, version 1, and readable JSON', () => {
    expect(atob(packProof(signature) ?? '').trimEnd()).toBe(
      'isoglot/1{"provider":"anthropic","model":"claude-sonnet-5","format":"anthropic",' +
        '"data":{"signature":"EqQBCgIYAhIM+/=="}}',
    )
  })

  it('gives back any proof, whatever is in it', () => {
    fc.assert(
      fc.property(anyProof, (proof) => {
        expect(unpackProof(packProof(proof) ?? '')).toEqual(asJson(proof))
      }),
      { seed, numRuns: 500 },
    )
  })

  it('has only letters and digits and no padding, so that it is the same in every base64 alphabet', () => {
    fc.assert(
      fc.property(anyProof, (proof) => {
        const packed = packProof(proof) ?? ''
        expect(packed).toMatch(/^[A-Za-z0-9]+$/)
        expect(packed.length % 4).toBe(0)
      }),
      { seed, numRuns: 500 },
    )
  })

  it('outlives a client that reads it as bytes and writes them again', () => {
    const proof: Opaque = { ...signature, data: { signature: '>>>???~~~ÿ€\u007f\ud800' } }
    const packed = packProof(proof) ?? ''
    const bytes = Uint8Array.from(atob(packed), (char) => char.charCodeAt(0))
    expect(Buffer.from(bytes).toString('base64url')).toBe(packed)
    expect(Buffer.from(bytes).toString('base64')).toBe(packed)
    expect(unpackProof(packed)).toEqual(proof)
  })

  it('keeps a field named __proto__ a field', () => {
    const data = JSON.parse('{"__proto__":{"evil":true}}')
    const back = unpackProof(packProof({ ...signature, data }) ?? '')
    expect(Object.keys(back?.data ?? {})).toEqual(['__proto__'])
    expect(back?.data).not.toHaveProperty('evil')
  })

  it('says which call its proof belongs to, and how long a text it is for', () => {
    expect(unpackEnvelope(packProof(signature, { on: 'call_1', length: 0 }) ?? '')).toEqual({
      opaque: signature,
      on: 'call_1',
      length: 0,
    })
    expect(unpackEnvelope(packProof(signature) ?? '')).toEqual({ opaque: signature })
    const strange = handmade(JSON.stringify({ ...signature, on: {}, length: 'long' }))
    expect(unpackEnvelope(strange)).toEqual({ opaque: signature })
  })
})

describe('packing', () => {
  it('does not carry a proof that is longer than the bound, and carries one that is as long', () => {
    const length = packProof(signature)?.length ?? 0
    expect(packProof(signature, { maxLength: length })).toHaveLength(length)
    expect(packProof(signature, { maxLength: length - 1 })).toBeUndefined()
    expect(packProof({ ...signature, data: { signature: 'x'.repeat(1024 * 1024) } })).toBeUndefined()
  })

  it('does not carry a proof that is nested too deep to be walked', () => {
    let deep: Json = 1
    for (let level = 0; level < 100_000; level++) deep = [deep]
    expect(packProof({ ...signature, data: { deep } })).toBeUndefined()
  })
})

describe('unpacking', () => {
  it.each([
    ['nothing', ''],
    ["a provider's own signature", 'EqQBCgIYAhIM+/=='],
    ['the prefix alone', 'aXNvZ2xvdC8x'],
    ['a carrier of the next version', handmade(JSON.stringify(signature), 'isoglot/2')],
    ['half a carrier', packProof(signature)?.slice(0, 60)],
    ['a carrier with a character that base64 has not', `${packProof(signature)}*`],
    ['a list', handmade('[1]')],
    ['null', handmade('null')],
    ['a proof without data', handmade(JSON.stringify({ ...signature, data: undefined }))],
    ['a proof whose data are a list', handmade(JSON.stringify({ ...signature, data: [] }))],
    ['a proof of nobody', handmade(JSON.stringify({ ...signature, provider: 1 }))],
    ['inherited fields', handmade('{"__proto__":{"provider":"a","model":"b","format":"c","data":{}}}')],
    ['deep nesting', handmade(`{"provider":"a","model":"b","format":"c","data":${'{"a":'.repeat(50_000)}`)],
  ])('finds no proof in %s', (_, text = '') => {
    expect(unpackProof(text)).toBeUndefined()
  })

  it('does not read a broken envelope, or one of a later version, as a foreign proof', () => {
    expect(isEnvelope(packProof(signature)?.slice(0, 61) ?? '')).toBe(true)
    expect(isEnvelope('EqQBCgIYAhIM+/==')).toBe(false)
    expect(isEnvelope(handmade('{}', 'isoglot/2'))).toBe(true)
  })

  it('takes any text without failing', () => {
    const mark = 'aXNvZ2xvdC8x'
    const text = fc.oneof(
      anyText,
      fc.base64String().map((tail) => mark + tail),
      fc.json().map((json) => handmade(plainly(json))),
    )
    fc.assert(
      fc.property(text, (one) => {
        expect(() => unpackProof(one)).not.toThrow()
      }),
      { seed, numRuns: 1000 },
    )
  })

  /** Text that `btoa` accepts. */
  function plainly(json: string): string {
    return json.replace(/[^\0-\xff]/g, '?')
  }
})
