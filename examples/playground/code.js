/** The isoglot program that makes an answer: the same model, settings, tools and conversation, ready to run in Node. */
import { backend } from './backend.js'
import { find } from './dom.js'
import { copy } from './foot.js'
import { ownModelName, readName, wires } from './wires.js'

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
  const { wire, name } = readName(model) ?? { wire: 'openai-chat', name: model }
  const isOwn = model === ownModelName
  const path = isOwn ? 'browser-model' : wire
  const make = path.replace(/-(\w)/, (_, letter) => letter.toUpperCase())
  // Tools that were never called have no effect, so they are left out.
  const hasCalls = [...history, ...answer.messages].some(({ role }) => role === 'tool')
  const { role, content } = history[0] ?? { role: 'user', content: '' }
  const isShort = history.length === 1 && role === 'user' && typeof content === 'string'
  const request = { ...asked, ...(isShort ? { prompt: content } : { messages: history }) }
  return `import { stream${hasCalls ? ', tool' : ''} } from 'isoglot'
import { ${make} } from 'isoglot/${path}'

${hasCalls ? `${await toolsText()}\n` : ''}${isOwn ? '' : `${settingsOf(wire)}\n`}const model = ${make}(${isOwn ? '' : `${literal(name)}, settings`})
const run = stream({
  model,${hasCalls ? '\n  tools,' : ''}
${literal(request).slice(2)})

for await (const event of run) {
  if (event.type === 'text_delta') console.log(event.text)
}
`
}

/** The tools of the page. */
async function toolsText() {
  const text = await (await fetch('tools.js')).text()
  return text.replace(/^\/\*\*.*\n(import .*\n)+\n/, '').replace('export const', 'const')
}

/** @param {import('./wires.js').WireName} wire */
function settingsOf(wire) {
  if (backend.isRecorded) return `const settings = { apiKey: 'your key' } // a recording answered here`
  return `const headers = { 'content-type': 'application/json', origin: '${location.origin}' }
const session = await fetch('${location.origin}/session', { method: 'POST', headers, body: '{}' })
const { token } = await session.json()
const settings = { baseUrl: '${location.origin}${wires[wire].base}', apiKey: token }`
}

/** The value as code, without usage, which has no effect on a request. @param {unknown} value */
function literal(value) {
  const json = JSON.stringify(
    value,
    (key, item) => (key === 'data' ? shortened(item) : key === 'usage' ? undefined : item),
    2,
  )
  return json.replaceAll(/^(\s*)"([a-z]\w*)":/gim, '$1$2:')
}

/** @param {unknown} data */
function shortened(data) {
  const isLong = typeof data === 'string' && data.length > longest
  return isLong ? `${data.slice(0, 40)}… put your file here` : data
}

find('#copy-code').addEventListener('click', ({ currentTarget }) => {
  if (currentTarget instanceof HTMLElement) copy(find('pre', dialog).textContent ?? '', currentTarget)
})
