/**
 * Optional code is passed as a value: a wrong value is reported before the request is sent, with the name of the function that makes the
 * right one.
 */
import { describe, expect, it } from 'vitest'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import {
  approval,
  budget,
  createChat,
  generate,
  liveArguments,
  type RunRequest,
  resumable,
  stream,
  type Tool,
  tool,
} from '../../src/index.ts'
import { chatBody } from '../support/upstream.ts'

let sent = 0
const fetch = async () => {
  sent++
  return Response.json(chatBody('Hi'))
}
const model = openaiChat('m', { apiKey: 'k', fetch })
const made = tool({ name: 'f', execute: () => 1 })
const words = [true, false, 'yes', 1, null, {}, [], () => true]
type Row = [what: string, wrong: object, maker: string]
const wrongTools: readonly Row[] = [
  ...words.map((needsApproval): Row => {
    return [`needsApproval: ${JSON.stringify(needsApproval)} on a copy`, { ...made, needsApproval }, 'approval()']
  }),
  ['a tool that was not made by tool', { name: 'f', execute: () => 1 }, 'tool('],
  ['a terminal tool that was not made by tool', { name: 'f', terminal: true }, 'tool('],
  ['a tool with a word in place of the code that runs it', { name: 'f', execute: () => 1, run: 'yes' }, 'tool('],
]
const withField = (field: string, maker: string, values: readonly unknown[] = words) =>
  values.map((value): Row => [`${field}: ${JSON.stringify(value)}`, { [field]: value }, maker])

const decision = { toolCallId: 'a', approved: true }

describe('a wrong value of a field', () => {
  it.each<Row>([
    ...withField('resume', 'resumable()', [...words, 'stream-1']),
    ...withField('budget', 'budget()', [...words, { maxTokens: 5 }]),
    ...withField('liveArguments', 'liveArguments()', [...words, liveArguments]),
    ...wrongTools.flatMap(([what, one, maker]): Row[] => {
      const inContext = { prompt: { messages: ['x'], tools: [one] } }
      return [
        [what, { tools: [one] }, maker],
        [`${what}, in a context`, inContext, maker],
      ]
    }),
    ['decisions about calls, and nothing that could run them', { approvals: [decision] }, 'tool('],
  ])('is refused with the name of the function that makes the right one: %s', async (_, more, maker) => {
    const request = { model, prompt: 'x', ...more } as RunRequest
    const ways = [
      () => generate(request),
      () => stream(request).response,
      // Of a chat, decisions are an argument.
      ...('approvals' in more
        ? []
        : [async () => createChat({ ...request, prompt: undefined } as never).send(request.prompt as never)]),
    ]
    for (const ask of ways) {
      const error = ask()
      await expect(error).rejects.toThrow(TypeError)
      await expect(error).rejects.toThrow(maker)
    }
    expect(sent).toBe(0)
  })

  it('is refused when a budget or a rule is made', () => {
    expect(() => budget({ maxTokens: '5' as never })).toThrow(/"maxTokens" is text; expected number/)
    expect(() => budget({ maxTimeMs: Number.NaN })).toThrow(/"maxTimeMs" is NaN/)
    expect(() => approval({ secret: 'short' })).toThrow(RangeError)
  })
})

it('accepts a copy of a tool, and a definition, whose calls the caller runs', async () => {
  const copied: Tool = { ...made, description: 'The same' }
  const all = { budget: budget({}), resume: resumable(), liveArguments: liveArguments() }
  const result = await generate({ model, prompt: 'x', tools: [copied, tool({ name: 'g' }), { name: 'h' }], ...all })
  expect(result.text).toBe('Hi')
})
