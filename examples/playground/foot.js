/** The frame of a message: its author, its time and cost, and its buttons. */
import { backend } from './backend.js'
import { showCode } from './code.js'
import { element } from './dom.js'
import { factsOf, figuresOf } from './facts.js'
import { blocksOf } from './isoglot/index.js'
import { titleOf as nameOf } from './wires.js'

/**
 * @typedef {import('./isoglot/chat.js').ChatStore} ChatStore
 * @typedef {import('./isoglot/chat.js').ViewMessage} ViewMessage
 */

/** @param {ViewMessage} message @param {string} model What is asked now. */
export function titleOf({ id, role, messages, state }, model) {
  if (role === 'user') return 'You'
  const response = messages.flatMap((message) => ('response' in message ? [message.response] : [])).at(-1)
  const said = response?.model && state !== 'streaming' ? `${response.provider}:${response.model}` : model
  return nameOf(factsOf(id)?.model ?? said)
}

/** @param {ChatStore} store @param {ViewMessage} message @param {HTMLElement} article @returns {readonly Node[]} */
export function footOf(store, message, article) {
  const branches = branchesOf(store, message, article)
  // A recording answers only the recorded message.
  if (message.role === 'user')
    return backend.isRecorded ? branches : [...branches, action('Edit', () => edit(store, message, article))]
  const facts = factsOf(message.id)
  const losses = facts?.losses ?? 0
  const link = element('a', 'losses', losses === 1 ? '1 loss' : `${losses} losses`)
  link.setAttribute('href', '#wire')
  const actions = [
    ...branches,
    action('Copy', (button) => copy(textIn(message), button)),
    action('Regenerate', () => store.getSnapshot().isBusy || store.regenerate(message.id)),
    ...(facts ? [action('View code', () => showCode(facts, message, store.getSnapshot().messages))] : []),
    ...(losses > 0 ? [link] : []),
  ]
  const figures = element('p', 'meta', figuresOf(message))
  return [...(message.state === 'stopped' ? [element('p', 'meta', 'Stopped')] : []), figures, ...actions]
}

/**
 * Buttons that show the other versions of this message. @param {ChatStore} store @param {ViewMessage} message @param {HTMLElement} article
 */
function branchesOf(store, { id, branch, role }, article) {
  if (branch === undefined) return []
  const { index, count } = branch
  const what = role === 'user' ? 'message' : 'answer'
  /** @param {string} label @param {string} sign @param {number} to */
  function step(label, sign, to) {
    const button = action(sign, () => {
      const { parentElement: log } = article
      const place = [...(log?.children ?? [])].indexOf(article)
      if (!store.getSnapshot().isBusy) store.branch(id, to)
      focusOn(log?.children[place], label)
    })
    button.setAttribute('aria-label', `${label} ${what}`)
    button.toggleAttribute('disabled', to < 0 || to >= count)
    return button
  }
  const steps = [
    step('Previous', '‹', index - 1),
    element('span', '', `${index + 1} of ${count}`),
    step('Next', '›', index + 1),
  ]
  const group = element('span', 'branches', steps)
  group.setAttribute('role', 'group')
  group.setAttribute('aria-label', `This ${what} and others in its place`)
  return [group]
}

/**
 * The branch that is now shown has its own buttons. Focuses the same button, or the other one if the same one is disabled. @param {Element
 * | undefined} article @param {string} label
 */
function focusOn(article, label) {
  const buttons = [...(article?.querySelectorAll('.branches button') ?? [])]
  const usable = buttons.filter((button) => !button.hasAttribute('disabled'))
  const same = usable.find((button) => button.getAttribute('aria-label')?.startsWith(label))
  const next = same ?? usable[0]
  if (next instanceof HTMLElement) next.focus()
}

/** @param {ViewMessage} message */
const textIn = ({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n')

/** @param {string} label @param {(button: HTMLElement) => void} act */
function action(label, act) {
  const button = element('button', 'action', label)
  button.setAttribute('type', 'button')
  button.addEventListener('click', () => act(button))
  return button
}

/** @param {string} text @param {HTMLElement} button Shows the result. */
export async function copy(text, button) {
  const label = button.textContent
  button.textContent = await navigator.clipboard.writeText(text).then(
    () => 'Copied',
    () => 'Not allowed',
  )
  setTimeout(() => {
    button.textContent = label
  }, 1500)
}

/**
 * Shows an editor in place of the message. Its attachments stay. @param {ChatStore} store @param {ViewMessage} message @param {HTMLElement}
 * article
 */
function edit(store, message, article) {
  const field = document.createElement('textarea')
  field.value = textIn(message)
  field.setAttribute('aria-label', 'Edited message')
  const save = element('button', 'action', 'Send')
  const form = element('form', 'edit', [field, save, action('Cancel', () => form.remove())])
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const attached = message.messages.flatMap(({ content }) => blocksOf(content)).filter(({ type }) => type !== 'text')
    if (field.value.trim() === '' || store.getSnapshot().isBusy) return
    store.edit(message.id, [...attached, { type: 'text', text: field.value.trim() }])
  })
  article.append(form)
  field.focus()
}
