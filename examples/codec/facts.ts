/** What Acme's documents say, and what it answered. */
import type { ConformanceFacts } from 'isoglot/test'

export const acmeFacts: ConformanceFacts = {
  model: 'acme-1',
  streams: {
    text: '{"say":"Hel"}\n{"say":"lo, wörld"}\n{"end":"done","tokens":[9,3]}\n',
    calls:
      '{"say":"I ask."}\n{"call":{"id":"c1","tool":"get_weather","with":{"city":"Oslo"}}}\n' +
      '{"call":{"id":"c2","tool":"get_weather","with":{"city":"Bergen"}}}\n{"end":"calls","tokens":[20,12]}\n',
  },
  answers: {
    text: { say: 'Hello, wörld', end: 'done', tokens: [9, 3] },
    calls: {
      say: 'I ask.',
      calls: [
        { id: 'c1', tool: 'get_weather', with: { city: 'Oslo' } },
        { id: 'c2', tool: 'get_weather', with: { city: 'Bergen' } },
      ],
      end: 'calls',
      tokens: [20, 12],
    },
  },
  errors: [
    [503, { problem: 'busy', text: 'Come back later.' }, 'overloaded'],
    [401, { problem: 'key' }, 'authentication'],
  ],
  refusals(body) {
    const { turns = [] } = body as { turns?: readonly { who: string }[] }
    return turns[0]?.who === 'user' ? [] : ['"turns" must begin with the user']
  },
}
