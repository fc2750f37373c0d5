/** Addresses that a model may have been made to write, and what becomes of them. */
import { describe, expect, it } from 'vitest'
import { safeUrl, type UrlPolicy } from '../src/safe-url.ts'
import { broken, foreign, relative, schemes, scripts } from './support/hostile-urls.ts'

const base = 'https://app.example/chat/'
const hostile = [...scripts, ...schemes, ...broken, ...foreign, ...relative]
const policies: readonly UrlPolicy[] = [
  {},
  { base },
  { links: 'none', images: 'none', base },
  { links: ['https://docs.example'], images: ['https://docs.example'] },
  { links: ['https://docs.example', 'mailto:'], images: 'same-origin', base },
]

it('are more than 200, each once', () => {
  expect(hostile.length).toBeGreaterThan(200)
  expect(hostile.filter((url, at) => hostile.indexOf(url) !== at)).toEqual([])
})

it.each([...scripts, ...schemes, ...broken])('%j is not accepted as a link or an image, whatever the policy', (url) => {
  for (const policy of policies.filter((one) => one.base === undefined)) {
    expect([safeUrl(url, 'link', policy), safeUrl(url, 'image', policy)]).toEqual([undefined, undefined])
  }
})

it.each(hostile)('%j makes a browser fetch nothing of another origin by itself', (url) => {
  expect(safeUrl(url, 'image')).toBeUndefined()
  expect(safeUrl(url, 'image', { base })).toBeUndefined()
  const own = safeUrl(url, 'image', { base, images: 'same-origin' })
  expect(new URL(own ?? base).origin).toBe('https://app.example')
  const listed = safeUrl(url, 'image', { images: ['https://docs.example'] })
  expect(new URL(listed ?? 'https://docs.example').origin).toBe('https://docs.example')
})

it.each(hostile)('%j as a link runs nothing, and is what was looked at', (url) => {
  for (const policy of policies) {
    const link = safeUrl(url, 'link', policy) ?? 'https://docs.example/'
    const { protocol, username, password, href, origin } = new URL(link)
    expect([protocol, username, password, href]).toEqual([expect.stringMatching(/^https?:$/), '', '', link])
    expect(link).toMatch(/^https?:\/\/[^\s\p{Cc}"<>]+$/u)
    if (Array.isArray(policy.links)) expect(origin).toBe('https://docs.example')
  }
})

it.each(foreign)('%j is not of an allowed origin', (url) => {
  for (const use of ['link', 'image'] as const) {
    const origins = ['https://docs.example', 'https://app.example']
    expect(safeUrl(url, use, { links: origins, images: origins })).toBeUndefined()
  }
})

it.each(relative)('%j is not safe without a base', (url) => {
  expect([safeUrl(url, 'link'), safeUrl(url, 'image')]).toEqual([undefined, undefined])
})

describe('a safe address', () => {
  it.each<[string, 'link' | 'image', UrlPolicy, string | undefined]>([
    ['https://docs.example/a?b=c#d', 'link', {}, 'https://docs.example/a?b=c#d'],
    ['http://docs.example', 'link', {}, 'http://docs.example/'],
    ['mailto:ada@docs.example?subject=Hi', 'link', {}, 'mailto:ada@docs.example?subject=Hi'],
    ['mailto:ada@docs.example', 'image', { images: ['mailto:'] }, undefined],
    ['mailto:ada@docs.example', 'link', { links: ['https://docs.example'] }, undefined],
    ['mailto:ada@docs.example', 'link', { links: ['mailto:'] }, 'mailto:ada@docs.example'],
    ['https://docs.example/a b"c', 'link', {}, 'https://docs.example/a%20b%22c'],
    [' https://docs\n.example/\t', 'link', {}, 'https://docs.example/'],
    ['https://DOCS.example:443/a', 'link', { links: ['https://docs.example'] }, 'https://docs.example/a'],
    ['https://docs.example/a', 'link', { links: ['https://docs.example/other'] }, 'https://docs.example/a'],
    ['https://docs.example/a', 'link', { links: [] }, undefined],
    ['https://docs.example/a', 'link', { links: 'none' }, undefined],
    ['https://docs.example:8443/', 'link', { links: ['https://docs.example:8443'] }, 'https://docs.example:8443/'],
    ['/help', 'link', { base }, 'https://app.example/help'],
    ['a.png', 'image', { base, images: 'same-origin' }, 'https://app.example/chat/a.png'],
    ['https://app.example/a.png', 'image', { base, images: 'same-origin' }, 'https://app.example/a.png'],
    ['//evil.example/a.png', 'image', { base, images: 'same-origin' }, undefined],
    ['https://app.example/a.png', 'image', { images: 'same-origin' }, undefined],
    ['https://cdn.example/a.png', 'image', { images: ['https://cdn.example'] }, 'https://cdn.example/a.png'],
    ['data:image/png;base64,iVBORw0KGgo=', 'image', {}, 'data:image/png;base64,iVBORw0KGgo='],
    ['data:image/WEBP;base64,AAAA', 'image', { images: 'same-origin', base }, 'data:image/WEBP;base64,AAAA'],
    ['data:image/png;base64,iVBORw0KGgo=', 'link', {}, undefined],
    ['https://docs.example/abc', 'link', { maxLength: 24 }, 'https://docs.example/abc'],
    ['https://docs.example/abcd', 'link', { maxLength: 24 }, undefined],
  ])('%j as a %s by %o: %s', (url, use, policy, expected) => {
    expect(safeUrl(url, use, policy)).toBe(expected)
  })

  it.each([
    { links: ['docs.example'] },
    { links: ['javascript:'] },
    { links: ['https://*'], base: 'nowhere' },
    { base: '/relative' },
  ])('needs a policy of addresses: %o', (policy) => {
    expect(() => safeUrl('https://docs.example', 'link', policy)).toThrow(/in the policy is not an origin such as/)
  })
})
