/** The answers of the scripted providers, for every wire: the user's last words select one. */

export interface Call {
  readonly id: string
  readonly name: string
  readonly args: { readonly city: string }
}

/** One answer, in no wire's words. */
export interface Said {
  readonly thought?: string
  readonly text?: string
  readonly calls?: readonly Call[]
}

export const greeting = 'Grüß Gott, 世界 🌍: the answer has "quotes" and\nlines.'
export const thought = 'First the sum, then the name of it.'
export const conclusion = 'It is forty-two.'
/** A provider's proof of what it thought: base64, as all three are. */
export const proof = 'c2lnbmVkLWJ5LXRoZS1wcm92aWRlcg=='
export const weatherIn = (city: string): string => `25 °C in ${city}`
export const report = (results: readonly string[]): string => `I found: ${results.join('; ')}.`
export const place = { city: 'Tokyo' }

/** The parts of a request that select an answer, read by each wire in its own way. */
export interface Heard {
  readonly prompt: string
  /** Texts of the results since then, in order. */
  readonly results: readonly string[]
  readonly hasProof: boolean
  readonly hasSchema: boolean
}

export function say({ prompt, results, hasProof, hasSchema }: Heard): Said {
  const call = (city: string): Call => ({ id: `call_${city}_1`, name: 'get_weather', args: { city } })
  const proved = hasProof ? 'the proof came back' : 'there was no proof'
  if (results.length > 0) return { text: prompt.includes('think') ? `${conclusion} ${proved}` : report(results) }
  if (prompt.includes('Tokyo and Paris')) return { calls: [call('Tokyo'), call('Paris')] }
  if (prompt.includes('think')) return { thought, calls: [call('Tokyo')] }
  if (prompt.includes('weather')) return { text: 'Let me look.', calls: [call('Tokyo')] }
  if (prompt.includes('and now')) return { text: proved }
  if (prompt.includes('JSON')) return { text: hasSchema ? JSON.stringify(place) : 'no schema' }
  return { text: greeting }
}
