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

let sent = 0
const fetch = async () => {
  sent++
  return Response.json({
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  })
}
const model = openaiChat('m', { apiKey: 'k', fetch })
const made = tool({ name: 'f', execute: () => 1 })
const words = [true, false, 'yes', 1, null, {}, [], () => true]
const wrongTools: readonly (readonly [string, object, string])[] = [
  ...words.map(
    (value) =>
      [`needsApproval: ${JSON.stringify(value)} on a copy`, { ...made, needsApproval: value }, 'approval()'] as const,
  ),
  ['a tool that was not made by tool', { name: 'f', execute: () => 1 }, 'tool('],
  ['a terminal tool that was not made by tool', { name: 'f', terminal: true }, 'tool('],
  ['a tool with a word in place of the code that runs it', { name: 'f', execute: () => 1, run: 'yes' }, 'tool('],
]
const withField = (field: string, maker: string, values: readonly unknown[] = words) =>
  values.map((value): [string, object, string] => [`${field}: ${JSON.stringify(value)}`, { [field]: value }, maker])

describe('a wrong value of a field', () => {
  it.each<[string, object, string]>([
    ...withField('resume', 'resumable()', [...words, 'stream-1']),
    ...withField('budget', 'budget()', [...words, { maxTokens: 5 }]),
    ...withField('liveArguments', 'liveArguments()', [...words, liveArguments]),
    ...wrongTools.map(([what, one, maker]): [string, object, string] => [what, { tools: [one] }, maker]),
    ...wrongTools.map(([what, one, maker]): [string, object, string] => [
      `${what}, in a context`,
      { prompt: { messages: ['x'], tools: [one] } },
      maker,
    ]),
    [
      'decisions about calls, and nothing that could run them',
      { approvals: [{ toolCallId: 'a', approved: true }] },
      'tool(',
    ],
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
      const error = await ask().then(
        () => undefined,
        (cause: unknown) => cause as Error,
      )
      expect(error).toBeInstanceOf(TypeError)
      expect(error?.message).toContain(maker)
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
