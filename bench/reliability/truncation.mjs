/** W13: a provider's stream is cut at every event, by an end or by a reset; what does the client's wire say? */
import { endingOf, failed } from '../../test/gateway/wire.ts'
import { ask } from './client.mjs'
import { begin, piecesOf } from './provider.mjs'
import { eachOf, models } from './rig.mjs'

const wires = Object.keys(models)
const said = { text: 'Let me look at that.', calls: [{ id: 'call_1', name: 'get_weather', args: { city: 'Tokyo' } }] }

/** The events that show that an answer is complete: a cut before them must be reported, one after them has lost nothing. */
const finals = {
  'openai-chat': /"finish_reason":"/,
  'openai-responses': /"type":"response.completed"/,
  anthropic: /"stop_reason":"/, // with it everything is said, `message_stop` or not
  gemini: /"finishReason"/,
  ollama: /"done":true/,
}

export async function truncation({ worker, upstream, token }) {
  const cuts = []
  for (const wire of wires)
    for (const provider of wires) {
      const asked = wire !== 'openai-responses' && provider === 'openai-responses' ? 'openai-chat' : provider
      const spoken = wire === 'openai-responses' && provider === 'openai-chat' ? 'openai-responses' : asked
      const pieces = piecesOf(spoken, said)
      const isWhole = (count) => pieces.slice(0, count).some((piece) => finals[spoken].test(piece))
      for (let count = 0; count <= pieces.length; count++)
        for (const how of ['end', 'reset'])
          for (const half of [false, true])
            cuts.push({
              wire,
              provider,
              pieces,
              count,
              how,
              half: half && count < pieces.length,
              isWhole: isWhole(count),
            })
    }
  upstream.play = (asked, response) => cut(cuts[Number(/cut (\d+)\./.exec(asked.text)[1])], asked, response)
  const found = await eachOf(cuts, 8, (one, at) => judge(one, at, worker, token))
  const broken = found.filter((_, at) => !cuts[at].isWhole)
  const whole = found.filter((_, at) => cuts[at].isWhole && cuts[at].how === 'end')
  const silent = broken.filter((end) => end === 'silent').length
  const odd = broken.filter((end) => end === 'odd').length
  const alarms = whole.filter((end) => end !== 'silent').length
  return [
    {
      what: `cut before the end, ${broken.length} times`,
      figure: `${silent} without an error`,
      bar: '0',
      met: silent === 0,
    },
    { what: 'of these, with two ends or none', figure: `${odd}`, bar: '0', met: odd === 0 },
    {
      what: `cut after the end, ${whole.length} times`,
      figure: `${alarms} reported as broken`,
      bar: '0',
      met: alarms === 0,
    },
  ]
}

async function cut({ pieces, count, how, half }, asked, response) {
  begin(response, asked.wire)
  response.write(pieces.slice(0, count).join(''))
  if (half) response.write(pieces[count].slice(0, pieces[count].length / 2))
  if (how === 'end') return response.end()
  // The bytes have to be on their way before the connection breaks.
  setTimeout(() => response.destroy(), 20)
}

/** `told`: an error, once. `silent`: a normal end. */
async function judge({ wire, provider }, at, worker, token) {
  const { status, text, isBroken } = await ask(worker.url, { wire, model: models[provider], token, say: `cut ${at}.` })
  if (status !== 200) return status >= 500 ? 'told' : 'odd'
  const { ends, errors, hasMore } = endingOf(wire, text)
  if (errors === failed.errors && ends === 0 && !hasMore) return 'told'
  return ends === 1 && errors === 0 && !hasMore && !isBroken ? 'silent' : 'odd'
}
