/** The user's settings: the system prompt, temperature, effort, and the look of the page. They survive a reload. */
import { find } from './dom.js'

/**
 * @typedef {object} Asked The options of a request. The provider decides those that are not set.
 * @property {string} [system]
 * @property {number} [temperature]
 * @property {{ effort: NonNullable<NonNullable<import('./isoglot/messages.js').RequestOptions['reasoning']>['effort']> }} [reasoning]
 */

const key = 'isoglot:settings'
const form = /** @type {HTMLFormElement} */ (find('#settings form'))

/** @param {string} name */
const valueAt = (name) => `${new FormData(form).get(name) ?? ''}`.trim()

/** @returns {Asked} */
export function asked() {
  const [system, temperature] = [valueAt('system'), valueAt('temperature')]
  const effort =
    /** @type {NonNullable<NonNullable<import('./isoglot/messages.js').RequestOptions['reasoning']>['effort']>} */ (
      valueAt('effort')
    )
  return {
    ...(system && { system }),
    ...(temperature && { temperature: Number(temperature) }),
    ...(effort && { reasoning: { effort } }),
  }
}

function apply() {
  document.documentElement.style.colorScheme = valueAt('theme')
  const count = Object.keys(asked()).length
  find('#open-settings').textContent = count > 0 ? `Settings (${count})` : 'Settings'
}

for (const [name, value] of Object.entries(JSON.parse(localStorage.getItem(key) ?? '{}'))) {
  const field = form.elements.namedItem(name)
  if (field !== null && 'value' in field) field.value = value
}
apply()
form.addEventListener('input', () => {
  if (!form.reportValidity()) return
  localStorage.setItem(key, JSON.stringify(Object.fromEntries(new FormData(form))))
  apply()
})
