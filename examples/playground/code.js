/** The isoglot program that makes an answer: the same model, settings, tools and conversation, with the provider's key from the environment. */
import { find } from './dom.js'
import { copy } from './foot.js'
import { toolCallsOf } from './isoglot/messages.js'
import { isWire, ownModelName, wires } from './wires.js'

/**
 * @typedef {import('./isoglot/chat.js').ViewMessage} ViewMessage
 * @typedef {import('./isoglot/index.js').Message} Message
 */

/** The maximum length of data in the code, in characters. Longer data is cut. */
const longest = 2000

const dialog = /** @type {HTMLDialogElement} */ (find('#code'))

/** @param {import('./facts.js').Facts} facts Of the answer. @param {ViewMessage} answer @param {readonly ViewMessage[]} all */
export async function showCode(facts, answer, all) {
  const history = all.slice(0, all.indexOf(answer)).flatMap(({ messages }) => messages)
  find('pre', dialog).textContent = await codeOf(facts, history, answer)
  dialog.showModal()
}

/** @param {import('./facts.js').Facts} facts @param {readonly Message[]} history @param {ViewMessage} answer */
async function codeOf({ model, asked }, history, answer) {
  const [provider = '', name = ''] = model.split(/:(.*)/s)
  const isOwn = model === ownModelName
  const path = isOwn ? 'browser-model' : provider
  const make = path.replace(/-(\w)/, (_, letter) => letter.toUpperCase())
  const used = await toolsOf([...history, ...answer.messages])
  const { role, content } = history[0] ?? { role: 'user', content: '' }
  const isShort = history.length === 1 && role === 'user' && typeof content === 'string'
  const options = { ...asked, ...(isShort ? { prompt: content } : { messages: history }) }
  const settings =
    isWire(provider) && !('key' in wires[provider]) ? '' : `, { apiKey: process.env.${keyOf(provider)} ?? '' }`
  return `import { stream${used.length > 0 ? ', tool' : ''} } from 'isoglot'
import { ${make} } from 'isoglot/${path}'

${used.map(({ code }) => `${code}\n\n`).join('')}const model = ${make}(${isOwn ? '' : `${literal(name)}${settings}`})
const run = stream({
  model,
${used.length > 0 ? `  tools: [${used.map((one) => one.name).join(', ')}],\n` : ''}${entries(options, '  ')}
})
for await (const text of run.text()) ${isOwn ? 'console.log' : 'process.stdout.write'}(text)
`
}

/** @param {string} provider */
const keyOf = (provider) =>
  isWire(provider) && 'key' in wires[provider]
    ? wires[provider].key
    : `${provider.toUpperCase().replaceAll('-', '_')}_API_KEY`

/** The tools that these messages call, as they are written in `tools.js`. @param {readonly Message[]} messages */
async function toolsOf(messages) {
  const called = new Set(messages.flatMap(toolCallsOf).map(({ name }) => name))
  if (called.size === 0) return []
  const text = await (await fetch('tools.js')).text()
  const all = [...text.matchAll(/^const (\w+) = tool\(\{\n {2}name: '(\w+)'[\s\S]*?^\}\)/gm)]
  return all.flatMap(([code, name = '', ofTool = '']) => (called.has(ofTool) ? [{ name, code }] : []))
}

/** The value as code, without usage, which has no effect on a request. @param {unknown} value @param {string} indent @returns {string} */
function literal(value, indent = '') {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return `${value}`
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${entries(value, `${indent}  `)}\n${indent}${close}`
}

/** @param {object} value @param {string} indent */
function entries(value, indent) {
  return Object.entries(value)
    .filter(([key, item]) => item !== undefined && key !== 'usage')
    .map(([key, item]) => {
      const name = Array.isArray(value) ? '' : `${/^[a-z]\w*$/i.test(key) ? key : quoted(key)}: `
      return `${indent}${name}${literal(key === 'data' ? shortened(item) : item, indent)},`
    })
    .join('\n')
}

/** In single quotes. @param {string} text */
const quoted = (text) => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

/** @param {unknown} data */
function shortened(data) {
  const isLong = typeof data === 'string' && data.length > longest
  return isLong ? `${data.slice(0, 40)}… put your file here` : data
}

find('#copy-code').addEventListener('click', ({ currentTarget }) => {
  if (currentTarget instanceof HTMLElement) copy(find('pre', dialog).textContent ?? '', currentTarget)
})
