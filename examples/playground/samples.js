/** Sample conversations for the views, before the chat has one. Written by hand, in the neutral model. */
import { definitionOf } from './isoglot/codec.js'
import { tools } from './tools.js'

/**
 * @typedef {import('./isoglot/index.js').Context} Context
 * @typedef {import('./isoglot/index.js').Message} Message
 * @typedef {Omit<import('./isoglot/messages.js').RequestOptions, 'model'>} Options
 * @typedef {{ title: string, context: Context, options: Options }} Sample
 */

/** A red dot, 2 by 2 pixels. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGO4oKAARAwQCgAgjgRBUcmqiQAAAABJRU5ErkJggg=='

const definitions = tools.map(definitionOf)

/** @param {string} city @param {string} id @param {number} index @returns {import('./isoglot/index.js').ToolCall} */
const call = (city, id, index) => ({
  type: 'tool_call',
  id,
  name: 'get_weather',
  arguments: { city },
  argumentsText: JSON.stringify({ city }),
  index,
  complete: true,
})

/** @type {Readonly<Record<string, Sample>>} */
export const samples = {
  round: {
    title: 'Two calls, one result so far (Anthropic)',
    context: {
      system: 'You are a weather service. Answer in one sentence.',
      tools: definitions,
      messages: [
        { role: 'user', content: 'Compare the weather in Tokyo and Paris' },
        {
          role: 'assistant',
          content: [
            {
              type: 'reasoning',
              text: 'Two cities, one tool: I ask for both at once.',
              opaque: {
                provider: 'anthropic',
                model: 'claude-sonnet-5',
                format: 'anthropic',
                data: { signature: 'aXNvZ2xvdC1wbGF5Z3JvdW5kLXNpZ25hdHVyZQ==' },
              },
            },
            call('Tokyo', 'toolu_01', 0),
            call('Paris', 'toolu_02', 1),
          ],
          stopReason: 'tool_calls',
          response: { provider: 'anthropic', model: 'claude-sonnet-5' },
        },
        {
          role: 'tool',
          toolCallId: 'toolu_01',
          name: 'get_weather',
          content: 'Tokyo: 24 °C, windy',
          status: 'success',
        },
      ],
    },
    options: { maxTokens: 1024 },
  },
  everything: {
    title: 'A picture, a failed tool, a late instruction',
    context: {
      system: 'You describe pictures.',
      tools: definitions,
      messages: [
        {
          role: 'user',
          name: 'ada',
          content: [
            { type: 'text', text: 'What is in this picture, and what time is it in Lima?' },
            { type: 'image', data: png, mimeType: 'image/png', detail: 'low' },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'A red dot. I look up the time.' },
            {
              type: 'tool_call',
              id: 'call_time',
              name: 'get_time',
              arguments: { timeZone: 'America/Nowhere' },
              argumentsText: '{"timeZone":"America/Nowhere"}',
              index: 0,
              complete: true,
            },
          ],
          stopReason: 'tool_calls',
          response: { provider: 'openai', model: 'gpt-5.6' },
        },
        {
          role: 'tool',
          toolCallId: 'call_time',
          name: 'get_time',
          content: 'RangeError: Invalid time zone specified: America/Nowhere',
          status: 'error',
        },
        { role: 'developer', content: 'From now on, answer in French.' },
        { role: 'user', content: 'Try again.' },
      ],
    },
    options: {
      maxTokens: 1024,
      temperature: 0.2,
      seed: 7,
      stop: ['\n\n\n'],
      toolChoice: { name: 'get_time' },
      parallelToolCalls: false,
      reasoning: { effort: 'low' },
    },
  },
  sources: {
    title: 'Signed by Gemini, with its sources',
    context: {
      tools: definitions,
      messages: [
        { role: 'user', content: 'Who wrote the first program, and what is the weather in London?' },
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'Ada Lovelace, for the Analytical Engine. Then the tool.' },
            {
              type: 'text',
              text: 'Ada Lovelace wrote it in 1843.',
              citations: [
                {
                  type: 'citation',
                  url: 'https://example.com/notes',
                  title: 'Notes by the translator',
                  startIndex: 0,
                  endIndex: 29,
                },
              ],
            },
            {
              ...call('London', 'gemini_0', 0),
              generatedId: true,
              opaque: {
                provider: 'gemini',
                model: 'gemini-3-pro-preview',
                format: 'gemini',
                data: { thoughtSignature: 'aXNvZ2xvdC1wbGF5Z3JvdW5kLXRob3VnaHQ=' },
              },
            },
          ],
          stopReason: 'tool_calls',
          response: { provider: 'gemini', model: 'gemini-3-pro-preview' },
        },
        {
          role: 'tool',
          toolCallId: 'gemini_0',
          name: 'get_weather',
          content: 'London: 19 °C, light rain',
          status: 'success',
        },
        { role: 'user', content: 'Answer as JSON.' },
      ],
    },
    options: {
      reasoning: { effort: 'high' },
      responseFormat: {
        type: 'json',
        name: 'answer',
        schema: {
          type: 'object',
          properties: { who: { type: 'string' }, weather: { type: 'string' } },
          required: ['who', 'weather'],
          additionalProperties: false,
        },
      },
    },
  },
}

/** @param {readonly Message[]} messages @returns {Sample} */
export const sampleOf = (messages) => ({ title: 'This chat', context: { messages, tools: definitions }, options: {} })
