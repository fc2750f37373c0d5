/** Patterns of secrets in an answer: plain, URL-encoded, or in base64. */

const shapes = {
  'a key of OpenAI or Anthropic': /\bsk-[\w-]{20,}/,
  'a key of Google': /\bAIza[\w-]{30,}/,
  'a key of xAI': /\bxai-\w{20,}/,
  'a key of Groq': /\bgsk_\w{20,}/,
  'a key of Hugging Face': /\bhf_[A-Za-z0-9]{30,}/,
  'a key of AWS': /\bAKIA[A-Z0-9]{16}\b/,
  'an organisation of OpenAI': /\borg-[A-Za-z0-9]{20,}/,
  'a private key': /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  'a setting with its value': /\b(?:SESSION_SECRET|ADMIN_TOKEN|[A-Z]{3,}_API_KEY)["']?\s*[=:]\s*["']?[^\s"']{8,}/,
  'the place of an error in the source': /\n\s+at \S+ \(?(?:file|https?|worker|node):/,
}

/** The kinds of secrets that a text holds. */
export function secretsIn(text) {
  const forms = [text, decodeUrl(text), ...decodedParts(text)]
  return Object.keys(shapes).filter((kind) => forms.some((form) => shapes[kind].test(form)))
}

function decodeUrl(text) {
  return text.replace(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
}

function decodedParts(text) {
  const parts = text.match(/[\w+/-]{32,4096}={0,2}/g) ?? []
  return parts
    .slice(0, 2000)
    .flatMap((part) => [0, 1, 2, 3].map((skip) => Buffer.from(part.slice(skip), 'base64').toString('latin1')))
}
