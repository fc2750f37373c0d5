/** Conversations that every codec must be able to send, or say what it leaves out. @module */
import type { Context, ContextTool } from '../core/messages.ts'

const weather: ContextTool = {
  name: 'get_weather',
  description: 'The weather of a city, now',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string', description: 'In English' } },
    required: ['city'],
  },
}
const callOf = (id: string, city: string, index: number) =>
  ({
    type: 'tool_call',
    id,
    name: 'get_weather',
    arguments: { city },
    argumentsText: JSON.stringify({ city }),
    index,
    complete: true,
  }) as const
/** A picture of one pixel. */
const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

export const conversations: Readonly<Record<string, Context>> = {
  'a question': { system: 'Answer briefly.', messages: [{ role: 'user', content: 'What is new?' }] },
  'several turns': {
    messages: [
      { role: 'user', content: 'First question' },
      { role: 'assistant', content: 'First answer' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Second question' },
          { type: 'text', text: 'and its end' },
        ],
      },
    ],
  },
  'instructions in the middle': {
    messages: [
      { role: 'user', content: 'First question' },
      { role: 'assistant', content: 'First answer' },
      { role: 'developer', content: 'Now speak Latin.' },
      { role: 'user', content: 'Second question' },
    ],
  },
  'a tool': { tools: [weather], messages: [{ role: 'user', content: 'Is it warm?' }] },
  'two calls and their results': {
    tools: [weather],
    messages: [
      { role: 'user', content: 'Is it warm?' },
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'I ask twice.' }, callOf('call_1', 'Bergen', 0), callOf('call_2', 'Turku', 1)],
      },
      { role: 'tool', toolCallId: 'call_2', name: 'get_weather', content: 'no such town', status: 'error' },
      { role: 'tool', toolCallId: 'call_1', name: 'get_weather', content: [{ type: 'text', text: 'rain, 9 degrees' }] },
      { role: 'user', content: 'And now?' },
    ],
  },
  'a call without a result': {
    tools: [weather],
    messages: [
      { role: 'user', content: 'Is it warm?' },
      { role: 'assistant', content: [callOf('call_1', 'Bergen', 0)] },
      { role: 'user', content: 'Never mind.' },
    ],
  },
  'a picture': {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image', mimeType: 'image/png', data: picture },
        ],
      },
    ],
  },
  'reasoning of another provider': {
    messages: [
      { role: 'user', content: 'First question' },
      {
        role: 'assistant',
        content: [
          {
            type: 'reasoning',
            text: 'Thoughts of another',
            opaque: { format: 'another', provider: 'another', model: 'm', data: { signature: 'c2ln' } },
          },
          { type: 'text', text: 'First answer' },
        ],
      },
      { role: 'user', content: 'Second question' },
    ],
  },
}
