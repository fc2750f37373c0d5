/**
 * Perplexity's and xAI's sources, Groq's own tools, and what answers of routers cost: https://docs.perplexity.ai,
 * https://docs.x.ai/docs/guides/live-search, https://console.groq.com/docs/compound, https://openrouter.ai/docs (read 2026-11).
 */
import { describe, expect, it } from 'vitest'
import { blocksOf } from '../../src/core/content.ts'
import type { ChatResponse } from '../../src/core/messages.ts'
import { createServerCodec } from '../../src/formats/openai-chat/index.ts'
import { message } from '../../src/index.ts'
import { costOf } from '../../src/prices/index.ts'
import { groq } from '../../src/providers/groq.ts'
import { perplexity } from '../../src/providers/perplexity.ts'
import { xai } from '../../src/providers/xai.ts'
import { ownCase } from '../support/corpus.ts'
import { decodeChunks } from '../support/decode.ts'
import { toFrames } from '../support/encode.ts'

const sonar = perplexity('sonar-pro')

function read({ codec }: Pick<typeof sonar, 'codec'>, id: string): ChatResponse {
  const { kind, bytes, text } = ownCase(id)
  const response = kind === 'json' ? codec.decodeResponse(JSON.parse(text)) : decodeChunks(codec, [bytes]).response
  if (response === undefined) throw new Error(`${id} has no answer`)
  return response
}

describe.each(['openai-chat-perplexity/marks', 'openai-chat-perplexity/marks-stream'])('%s', (id) => {
  const { message, providerData, usage } = read(sonar, id)
  const [block] = blocksOf(message.content)
  const text = block?.type === 'text' ? block : undefined

  it('has a citation for each mark: at both ends, side by side, not in code, not a link, not without a source', () => {
    const marked = text?.citations?.map((one) => [
      one.startIndex,
      text.text.slice(one.startIndex, one.endIndex),
      one.url,
    ])
    const end = (text?.text.length ?? 0) - 3
    expect(marked).toEqual([
      [0, '[1]', 'https://example.com/krakow'],
      [18, '[1]', 'https://example.com/krakow'],
      [21, '[2]', 'https://example.com/weather'],
      [end, '[3]', 'https://example.com/lists'],
    ])
  })

  it('has the titles of the sources', () => {
    expect(text?.citations?.map(({ title }) => title)).toEqual(['Kraków weather', 'Kraków weather', 'Weather', 'Lists'])
  })

  it('keeps the lists as they came, and what it cost', () => {
    expect(providerData?.['openai-chat']?.search_results).toHaveLength(3)
    expect(costOf(usage, sonar)).toEqual({ usd: 0.00646, confidence: 'exact' })
  })
})

describe.each(['openai-chat-xai/search', 'openai-chat-xai/search-stream'])('%s', (id) => {
  it('has the sources of xAI’s search as citations of the whole text', () => {
    const { message, providerData } = read(xai('grok-3'), id)
    const urls = ['https://example.com/mars', 'https://example.org/rover']
    const citations = urls.map((url) => ({ type: 'citation', url, title: url }))
    expect(blocksOf(message.content)).toEqual([{ type: 'text', text: 'A rover landed.', citations }])
    expect(providerData?.['openai-chat']?.citations).toEqual(urls)
  })
})

it('an answer that is cut off cites the sources of the marks that came', () => {
  const chunk = { choices: [{ index: 0, delta: { content: 'a[1]' } }], citations: ['https://example.com/krakow'] }
  const { error } = decodeChunks(sonar.codec, [Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`)])
  const url = 'https://example.com/krakow'
  const citations = [{ type: 'citation', url, title: url, startIndex: 1, endIndex: 4 }]
  expect(error?.partial?.content).toEqual([{ type: 'text', text: 'a[1]', citations }])
})

it('a text without sources has no citations', () => {
  const choices = [{ index: 0, message: { role: 'assistant', content: 'a[1]' }, finish_reason: 'stop' }]
  expect(blocksOf(sonar.codec.decodeResponse({ choices }).message.content)).toEqual([{ type: 'text', text: 'a[1]' }])
})

it('sources that are only addresses are cited too', () => {
  const choices = [{ index: 0, message: { role: 'assistant', content: 'a[1]' }, finish_reason: 'stop' }]
  const { message } = sonar.codec.decodeResponse({ choices, citations: ['https://a.example'] })
  const citation = {
    type: 'citation',
    url: 'https://a.example',
    title: 'https://a.example',
    startIndex: 1,
    endIndex: 4,
  }
  expect(blocksOf(message.content)).toEqual([{ type: 'text', text: 'a[1]', citations: [citation] }])
})

it('a client of a gateway gets the marks as annotations, with its address as the title of a source without one', () => {
  const choices = [{ index: 0, message: { role: 'assistant', content: 'a[1]' }, finish_reason: 'stop' }]
  const answer = sonar.codec.decodeResponse({ choices, citations: ['https://a.example'] })
  const { body } = createServerCodec().encodeResponse(answer)
  const citation = { url: 'https://a.example', title: 'https://a.example', start_index: 1, end_index: 4 }
  const annotations = [{ type: 'url_citation', url_citation: citation }]
  expect(body).toMatchObject({ choices: [{ message: { annotations } }] })
})

describe.each(['openai-chat-groq/executed-tools', 'openai-chat-groq/executed-tools-stream'])('%s', (id) => {
  const response = read(groq('groq/compound'), id)

  it('has each tool that Groq ran as a call and a result, before the text', () => {
    const search = { query: 'Kraków weather' }
    const results = [{ title: 'Kraków weather', url: 'https://example.com/krakow', content: '19 degrees', score: 0.9 }]
    expect(blocksOf(response.message.content).map(({ providerData: _, ...block }) => block)).toEqual([
      { type: 'reasoning', text: 'I search.' },
      {
        type: 'server_tool_call',
        id: 'groq_0',
        name: 'search',
        arguments: search,
        argumentsText: JSON.stringify(search),
      },
      {
        type: 'server_tool_result',
        toolCallId: 'groq_0',
        name: 'search',
        output: { output: 'Title: Kraków weather', search_results: { results } },
      },
      {
        type: 'server_tool_call',
        id: 'groq_1',
        name: 'python',
        arguments: { code: 'print(7*13)' },
        argumentsText: '{"code":"print(7*13)"}',
      },
      {
        type: 'server_tool_result',
        toolCallId: 'groq_1',
        name: 'python',
        output: { output: '91\n', code_results: [{ text: '91\n' }] },
      },
      { type: 'text', text: '19 °C, and 91.' },
    ])
    expect(response.message.providerData?.['openai-chat'] ?? {}).not.toHaveProperty('executed_tools')
  })

  it('does not send them back', () => {
    const messages = [message.user('q'), response.message, message.user('z')]
    const { body, losses } = groq('groq/compound').codec.encodeRequest({ messages }, { model: 'groq/compound' })
    const [, turn] = (body as { messages: object[] }).messages
    expect(turn).toEqual({ role: 'assistant', content: '19 °C, and 91.', reasoning: 'I search.' })
    expect(losses.map(({ path }) => path)).toEqual([1, 2, 3, 4].map((at) => `messages[1].content[${at}]`))
  })

  it('goes through a gateway to clients of the format, whole and as a stream', () => {
    const { kind, bytes, text } = ownCase(id)
    const sent = kind === 'json' ? JSON.parse(text).choices[0].message.executed_tools : undefined
    const { body, losses } = createServerCodec().encodeResponse(response)
    const [choice] = (body as { choices: { message: { executed_tools: object[] } }[] }).choices
    expect(losses).toEqual([])
    expect(choice?.message.executed_tools).toHaveLength(2)
    if (sent !== undefined) expect(choice?.message.executed_tools).toEqual(sent)
    const encoder = createServerCodec().encodeStream()
    const events = kind === 'json' ? [] : decodeChunks(groq('groq/compound').codec, [bytes]).events
    const deltas = toFrames(encoder, events).filter(({ data }) => data.includes('executed_tools'))
    expect([deltas.length, encoder.losses]).toEqual([kind === 'json' ? 0 : 2, []])
  })
})

it('with a key of the user’s own at OpenRouter, an answer costs the fee and the provider’s price', () => {
  const figures = { cost: 0.0001, is_byok: true, cost_details: { upstream_inference_cost: 0.002 } }
  const usage = { providerData: { 'openai-chat': figures } }
  expect(costOf(usage, 'openrouter:any/model')).toEqual({ usd: 0.0021, confidence: 'exact' })
})
