/** The same hand-overs over real HTTP: the embedded provider takes what our client makes of them, on all wires and the dialects. */

import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { httpModel } from '../../src/ask/http-model.ts'
import { textOf } from '../../src/core/content.ts'
import { generate } from '../../src/index.ts'
import { facts } from '../formats/index.ts'
import type { Wire } from '../support/answers.ts'
import { inTurn } from '../support/cuts.ts'
import {
  allows,
  goOn,
  type History,
  type Moment,
  moments,
  oneOfEachKind,
  recordedHistories,
  writtenHistories,
} from './histories.ts'
import { modelFor, type Target, targets, wires } from './matrix.ts'

const answer = 'Understood.'
const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent', journalMaxEntries: 10 })
beforeAll(async () => {
  mock.addFixtures([{ match: {}, response: { content: answer } }])
  await mock.start()
})
afterAll(() => mock.stop())

/** Where aimock has clouds; it has other hosts of a format where it has the format. */
const bases: Readonly<Record<string, string>> = {
  'bedrock-invoke': '',
  vertex: '/v1/projects/p/locations/l',
}

/** aimock knows only Anthropic's own paths: Vertex AI's path parameters are put into the body there. */
const asAnthropic: typeof fetch = (url, init) => {
  const [origin, name = ''] = String(url).split('/publishers/anthropic/models/')
  const { anthropic_version: _, ...body } = JSON.parse(String(init?.body))
  const model = name.slice(0, name.lastIndexOf(':'))
  return fetch(`${origin}/messages`, { ...init, body: JSON.stringify({ model, ...body }) })
}

/** aimock ends with a 500 at a tool of Converse that is not a function, such as Nova's `systemTool`: those do not reach it. */
const withFunctions: typeof fetch = (url, init) => {
  const { toolConfig, ...body } = JSON.parse(String(init?.body))
  const tools = toolConfig?.tools.filter((tool: object) => 'toolSpec' in tool) ?? []
  const rest = tools.length > 0 && { toolConfig: { ...toolConfig, tools } }
  return fetch(url, { ...init, body: JSON.stringify({ ...body, ...rest }) })
}

/** The client's answer to a history, asked through all of it: prepared, encoded, sent, answered, decoded. */
async function ask({ client }: Target, history: History, moment: Moment): Promise<string> {
  const { system, messages, tools } = goOn(history, moment)
  const { message } = await generate({
    model: httpModel(client, modelFor(history, { name: client.name, client }).replace(/^models\//, ''), {
      baseUrl: `${mock.url}${bases[client.provider] ?? facts[client.name as Wire].mockBase}`,
      ...(client.provider === 'vertex-anthropic' && { fetch: asAnthropic }),
      ...(client.name === 'bedrock-converse' && { fetch: withFunctions }),
    }),
    messages,
    ...(system !== undefined && { system }),
    ...(tools !== undefined && { tools }),
    maxTokens: 1000,
    strict: false,
    autoTools: false,
    // aimock streams the events of Converse there, and not those of Anthropic in base64.
    wholeAnswer: client.provider === 'bedrock-invoke',
    retries: 0,
  })
  return textOf(message)
}

async function refusals(target: Target, histories: readonly History[]): Promise<readonly string[]> {
  const found: string[] = []
  for (const history of histories) {
    for (const moment of moments) {
      if (!allows(history, moment)) continue
      const told = await ask(target, history, moment).catch((error) => String(error))
      if (told !== answer) found.push(`${history.format}/${history.provider}: ${history.name}, ${moment}: ${told}`)
    }
  }
  return found
}

const written = writtenHistories()
const some = [...written, ...oneOfEachKind(recordedHistories())]

describe.each(wires.map((target, turn) => ({ ...target, turn })))('$name', ({ turn, ...target }) => {
  it('takes a history of each kind from each provider over HTTP, and answers', async () => {
    expect(await refusals(target, inTurn(some, 6, turn))).toEqual([])
  })
})

/** Dialects share the code of their format, and `handoff.test.ts` judges the body of each history for each of them. */
const dialects = targets.filter((target) => !wires.includes(target)).map((target, turn) => ({ ...target, turn }))
describe.each(dialects)('the dialect $name', ({ turn, ...target }) => {
  it('takes the written histories over HTTP, and answers', async () => {
    expect(await refusals(target, inTurn(written, 6, turn))).toEqual([])
  })
})
