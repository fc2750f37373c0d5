/** A form that is filled while the model writes. `npm run example recipes/form`, then press the button. */
import { streamObject, t } from 'isoglot'
import { openaiChat } from 'isoglot/openai-chat'

const person = t.object({
  name: t.string('Full name'),
  born: t.integer('Year'),
  works: t.array(t.string(), 'Titles'),
})
// The gateway on this origin has the key.
const model = openaiChat('gpt-5-mini', { baseUrl: `${location.origin}/v1` })

document.getElementById('app').innerHTML = `<main><form>
  <label>Text <textarea name="text" rows="3">Extract the person: Ada Lovelace, born in 1815, wrote the Notes and a
Sketch of the Analytical Engine</textarea></label>
  <button>Fill</button> <output></output>
  <label>Name <input name="name"></label>
  <label>Born <input name="born" inputmode="numeric"></label>
  <label>Works <input name="works"></label>
</form></main>`
const form = document.querySelector('form')
const { text, name, born, works } = form.elements
const status = form.querySelector('output')

/** The value so far: each field may be missing, and text may be incomplete. */
function fill(view) {
  name.value = view.name ?? ''
  born.value = view.born ?? ''
  works.value = view.works?.join('; ') ?? ''
}

let run
form.onsubmit = async (event) => {
  event.preventDefault()
  await run?.stop()
  const own = streamObject({ model, schema: person, prompt: text.value })
  run = own
  status.textContent = 'Reading …'
  try {
    for await (const view of own) fill(view)
    const { object } = await own.response // checked against the schema
    fill(object)
    status.textContent = 'Please check'
  } catch (error) {
    if (run === own) status.textContent = error.message
  }
}
