/**
 * Whether a URL may go to a provider, which fetches it. The Worker does not fetch it, so it does not know the address that a name resolves
 * to. It refuses URLs whose text shows that they are not public.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 * @module
 */
import { isOfAccount } from '../../core/media.ts'

/** An `https:` URL without a user or a password, whose host is a public name or address, and which no account's key opens. */
export function isPublicUrl(text: string): boolean {
  if (!plainUrl.test(text) || !URL.canParse(text) || isOfAccount(text)) return false
  const { hostname } = new URL(text)
  // The parser has rewritten every form of an IPv4 address (`0x7f.1`, `2130706433`) as four numbers. An IPv6 address is in brackets.
  if (hostname.startsWith('[')) return isPublicIpv6(hostname.slice(1, -1))
  if (/^[\d.]+$/.test(hostname)) {
    const [a = 0, b = 0, c = 0] = hostname.split('.').map(Number)
    return !privateIpv4.some((isPrivate) => isPrivate(a, b, c))
  }
  const labels = hostname.replace(/\.$/, '').split('.')
  return labels.length > 1 && !labels.includes('') && !privateNames.has(labels.at(-1) ?? '')
}

/**
 * A host, and a port, and then a slash or nothing: where something else follows, such as `?` or `@`, parsers differ about what the host is.
 * They also differ about backslashes, white space, control characters, and signs that stand for a dot or for digits.
 */
const plainUrl = /^https:\/\/(?:\[[\da-f:.]+\]|[\p{L}\p{M}\d._-]+)(?::\d+)?(?:\/[^\\\s\p{Cc}]*)?$/iu

/** Top-level names that are never public. */
const privateNames: ReadonlySet<string> = new Set([
  ...['localhost', 'local', 'internal', 'intranet', 'private', 'corp', 'home', 'lan', 'localdomain'],
  ...['test', 'invalid', 'onion', 'alt', 'arpa'],
  ...['svc', 'default', 'consul'], // services of a cluster: `kubernetes.default.svc`
])

/** Private and special ranges, by the first three numbers of an address. */
const privateIpv4: readonly ((a: number, b: number, c: number) => boolean)[] = [
  (a) => a === 0 || a === 10 || a === 127 || a >= 224,
  (a, b) => a === 100 && b >= 64 && b < 128, // carrier-grade NAT (RFC 6598), and Alibaba's metadata
  (a, b) => a === 169 && b === 254, // link-local, and the metadata of most clouds
  (a, b) => a === 172 && b >= 16 && b < 32,
  (a, b) => a === 192 && b === 168,
  (a, b, c) => a === 192 && b === 0 && (c === 0 || c === 2),
  (a, b) => a === 198 && (b === 18 || b === 19),
  (a, b, c) => (a === 198 && b === 51 && c === 100) || (a === 203 && b === 0 && c === 113),
]

/** Only global unicast. Addresses that contain an IPv4 address (6to4, Teredo) or are for documentation are refused. */
function isPublicIpv6(address: string): boolean {
  const [first = '', second = ''] = address.split(':')
  const [high, low] = [Number.parseInt(first, 16), Number.parseInt(second || '0', 16)]
  if (!(high >= 0x2000 && high < 0x4000)) return false
  return high !== 0x2002 && high !== 0x3fff && !(high === 0x2001 && (low < 0x200 || low === 0xdb8))
}
