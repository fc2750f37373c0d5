/** Extracts a typed value from a text: isoglot sends the schema in the best way that the format has, and checks the answer. */
import { OutputError, streamObject, t } from 'isoglot'
import { chooseModel } from './model.mjs'

const person = t.object({
  name: t.string('Full name'),
  born: t.integer('Year'),
  works: t.array(t.string(), 'Titles'),
})

const { model, stop } = await chooseModel()
const run = streamObject({
  model,
  prompt: 'Extract the person: Ada Lovelace, born in 1815, wrote the Notes and a Sketch of the Analytical Engine',
  schema: person,
})
try {
  for await (const view of run) console.log(`${view.name ?? '…'}: ${view.works?.length ?? 0} works so far`)
  const { object } = await run.response
  console.log(JSON.stringify(object))
} catch (error) {
  if (!(error instanceof OutputError)) throw error
  console.log(`${error.reason}: ${error.text}`)
} finally {
  await stop()
}
