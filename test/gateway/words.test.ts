/** Codes in a provider's errors. */
import { expect, it } from 'vitest'
import { json } from '../support/upstream.ts'
import { startRig } from './rig.ts'
import { ask } from './wire.ts'

it.each([
  ['tokens_per_minute', 'tokens_per_minute'],
  ['The prompt "my secret plan" is too long for you', undefined],
  ['x'.repeat(100_000), undefined],
])('a code is reported, and sent to the client, only if it is known: %.50s', async (code, reported) => {
  const rig = await startRig()
  rig.providers.answer(json({ error: { message: 'Slow down', type: 'tokens', code } }, 429))
  const answer = await ask(rig.url, 'anthropic', 'openai-chat')
  const body = await answer.text()
  await expect
    .poll(() => rig.reports[0]?.error)
    .toEqual({
      kind: 'rate_limit',
      status: 429,
      ...(reported && { providerCode: reported }),
    })
  if (reported === undefined) expect(body).not.toContain(code.slice(0, 20))
  await rig.stop()
})
