/**
 * A call that needs a user's approval, in three processes: one asks the model, one signs the user's decision, one continues the run. They
 * share only a JSON file. The secret signs the consent, so that write access to the file is not enough to forge one, and the list of
 * finished calls prevents that a call runs twice.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { approval, generate, signApproval, t, textOf, tool } from 'isoglot'
import { chooseModel } from './model.mjs'

const [step, file = 'state.json'] = process.argv.slice(2)
const secret = process.env.APPROVAL_SECRET ?? ''
const read = () => JSON.parse(readFileSync(file, 'utf8'))
const save = (state) => writeFileSync(file, JSON.stringify(state, null, 2))

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city, for a fee',
  parameters: t.object({ city: t.string('Name of the city') }),
  needsApproval: approval({ secret }),
  execute({ city }) {
    console.log(`paid for ${city}`)
    return `25 °C in ${city}`
  },
})

/** A database does this in one statement: insert, unless the row exists. */
const callLog = {
  claim(key) {
    const { ran = {}, ...state } = read()
    if (Object.hasOwn(ran, key)) return ran[key] ?? false
    save({ ...state, ran: { ...ran, [key]: null } })
    return true
  },
  keep(key, result) {
    const { ran, ...state } = read()
    save({ ...state, ran: { ...ran, [key]: result } })
  },
}

const steps = {
  async ask() {
    const { model, stop } = await chooseModel()
    const { outcome, messages, pending } = await generate({ model, prompt: 'Weather in Tokyo?', tools: [weather] })
    save({ messages, pending })
    console.log(`${outcome}: ${pending.map(({ name, argumentsText }) => `${name}(${argumentsText})`).join(', ')}`)
    await stop()
  },
  async approve() {
    const { pending, ...state } = read()
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const approvals = await Promise.all(
      pending.map((call) => signApproval(call, { approved: true, expiresAt }, secret)),
    )
    save({ ...state, pending, approvals })
    console.log(`approved: ${approvals.length}`)
  },
  async resume() {
    const { messages, approvals = [] } = read()
    const { model, stop } = await chooseModel()
    const result = await generate({ model, messages, tools: [weather], approvals, callLog })
    console.log(`${result.outcome}: ${textOf(result.message)}`)
    await stop()
  },
}

if (step === undefined || !Object.hasOwn(steps, step)) throw new TypeError('Say what to do: ask, approve or resume')
await steps[step]()
