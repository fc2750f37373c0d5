/**
 * Turnstile's answer that a person uses the page, if the Worker requires it: then the page has the widget's key. An answer is valid only
 * once, so each session shows its own widget. It is usually invisible.
 *
 * @see https://developers.cloudflare.com/turnstile/get-started/client-side-rendering/ (read 2026-11)
 * @module
 */
import { element, find } from './dom.js'

/**
 * @typedef {{ render: (place: HTMLElement, settings: object) => string, remove: (id: string) => void }} Turnstile
 */

const source = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit'
const marker = document.querySelector('meta[name="turnstile-site-key"]')

/** @type {Promise<Turnstile> | undefined} */
let loading

/** The answer for the Worker. Loads nothing if the Worker does not require an answer. */
export async function personAnswer() {
  const sitekey = marker?.getAttribute('content')
  if (!sitekey) return undefined
  loading ??= load()
  const turnstile = await loading.catch((error) => {
    loading = undefined
    throw error
  })
  return ask(turnstile, sitekey)
}

/** @returns {Promise<Turnstile>} */
function load() {
  const script = document.createElement('script')
  script.src = source
  const loaded = new Promise((resolve, reject) => {
    script.addEventListener('load', () => resolve(Reflect.get(globalThis, 'turnstile')))
    script.addEventListener('error', () => reject(new Error('The check that a person is here cannot be loaded')))
  })
  document.head.append(script)
  return loaded
}

/**
 * @param {Turnstile} turnstile
 * @param {string} sitekey
 * @returns {Promise<string>}
 */
async function ask(turnstile, sitekey) {
  const place = element('div', 'person')
  find('#say').prepend(place)
  let widget = ''
  const answered = new Promise((resolve, reject) => {
    /** @param {string} what */
    function fail(what) {
      reject(new Error(`The check that a person is here failed: ${what}`))
      // Marks the error as handled, so that it is not logged.
      return true
    }
    widget = turnstile.render(place, {
      sitekey,
      action: marker?.getAttribute('data-action') ?? undefined,
      appearance: 'interaction-only',
      size: 'flexible',
      // Its hidden field is for forms. Our page sends the answer itself.
      'response-field': false,
      retry: 'never',
      callback: resolve,
      'error-callback': fail,
      'timeout-callback': () => fail('the check was not answered in time'),
      'unsupported-callback': () => fail('this browser cannot show it'),
    })
  })
  try {
    return await answered
  } finally {
    turnstile.remove(widget)
    place.remove()
  }
}
