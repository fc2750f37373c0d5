/**
 * Finds why a server of Chat Completions would answer with a 400. Written only from wire/openai-chat.md (§2.1, §2.2, §2.4) and
 * wire/dialects.md.
 */
import {
  type Findings,
  isBase64,
  isDataUrl,
  isObject,
  isWebAddress,
  list,
  object,
  parsesToObject,
  type Refusals,
  type Validator,
  validator,
  type Wire,
  withTurns,
  words,
} from '../validator.ts'
import { type ChatRules, chatRulesOf } from './validator-dialects.ts'

const bodyKeys = words(
  'model messages tools tool_choice parallel_tool_calls response_format reasoning_effort max_completion_tokens max_tokens n stop seed ' +
    'verbosity logprobs top_logprobs temperature top_p presence_penalty frequency_penalty logit_bias stream stream_options user',
)
/** §2.1 and §2.3: "Do not send any of it to other hosts"; dialects.md §1. */
const openaiKeys = words(
  'store metadata prompt_cache_key prompt_cache_options prompt_cache_retention service_tier safety_identifier modalities audio ' +
    'prediction web_search_options moderation functions function_call',
)
const messageKeys: Readonly<Record<string, ReadonlySet<string>>> = {
  system: words('role content name'),
  developer: words('role content name'),
  user: words('role content name'),
  assistant: words('role content name tool_calls refusal audio function_call'),
  tool: words('role content tool_call_id'),
  function: words('role content name'),
}

/** The validator of one provider of this format. */
export function validatorOf(provider: string): Validator {
  const rules = chatRulesOf(provider)
  return validator((body, found) => checkBody(body, rules, found))
}

function checkBody(body: Wire, rules: ChatRules, found: Findings): void {
  const known = rules.openai ? new Set([...bodyKeys, ...openaiKeys]) : bodyKeys
  for (const key of Object.keys(body)) {
    if (openaiKeys.has(key)) found.check(known.has(key), 'body', `"${key}" is OpenAI's alone`)
  }
  found.text(body.model, 'model')
  const other = rules.maxTokens === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens'
  found.check(!(other in body), other, `the field is ${rules.maxTokens}`)
  const tools = list(body.tools)
  if ('tools' in body) {
    found.check(tools.length > 0, 'tools', 'is empty')
    found.check(!rules.withoutTools, 'tools', 'there are none here')
  } else {
    // §2.2
    for (const key of ['tool_choice', 'parallel_tool_calls'])
      found.check(!(key in body), key, 'is only valid with tools')
  }
  tools.forEach((tool, at) => {
    checkTool(tool, rules, `tools[${at}]`, found)
  })
  if (rules.strict === 'uniform') {
    const values = new Set(tools.map((tool) => object(tool.function).strict))
    found.check(values.size < 2, 'tools', 'all must have the same "strict"')
  }
  checkMessages(list(body.messages), rules, found)
}

function checkTool(tool: Wire, rules: ChatRules, path: string, found: Findings): void {
  if (tool.type !== 'function') {
    found.check(tool.type === 'custom' && rules.openai === true, path, `a tool of the type "${tool.type}"`)
    return
  }
  const { name, parameters, strict } = object(tool.function)
  found.match(name, /^[\w-]{1,64}$/, `${path}.function.name`)
  if (parameters !== undefined) found.check(isObject(parameters), `${path}.function.parameters`, 'is not a schema')
  if (rules.strict === 'absent') found.check(strict === undefined, `${path}.function.strict`, 'must be absent')
  if (rules.strict === 'boolean')
    found.check(typeof strict === 'boolean', `${path}.function.strict`, 'is not a boolean')
}

function checkMessages(messages: readonly Wire[], rules: ChatRules, found: Findings): void {
  found.check(messages.length > 0, 'messages', 'is empty')
  let due: unknown[] = []
  let hadCalls = false
  messages.forEach((message, at) => {
    const path = `messages[${at}]`
    const before = messages[at - 1]
    checkMessage(message, rules, path, found)
    if (message.role === 'tool') {
      const place = due.indexOf(message.tool_call_id)
      // xAI, dialects.md §3: results in the order of the calls; other servers accept it too.
      found.check(place === 0, path, `answers "${message.tool_call_id}" where "${due[0]}" is due`)
      due = due.filter((id) => id !== message.tool_call_id)
      return
    }
    found.check(due.length === 0, path, `calls without tool messages: ${due.join(', ')}`)
    due = list(message.tool_calls).map((call) => call.id)
    found.check(new Set(due).size === due.length, path, 'two calls with one id')
    hadCalls ||= due.length > 0
    const isDue = rules.needsReasoning === 'from first calls' ? hadCalls : rules.needsReasoning && due.length > 0
    if (message.role === 'assistant' && isDue)
      found.check(typeof message.reasoning_content === 'string', path, 'Missing `reasoning_content` field')
    if (message.role === 'user' && rules.bridgesResults)
      found.check(before?.role !== 'tool', path, "Unexpected role 'user' after role 'tool'")
    const isInstruction = message.role === 'system' || message.role === 'developer'
    if (isInstruction && rules.oneSystem)
      found.check(at === 0, path, 'a system message that is not the only one, first')
    if (rules.alternates && at > 0 && !isInstruction)
      found.check(before?.role !== message.role, path, 'Conversation roles must alternate user/assistant')
  })
  found.check(due.length === 0, 'messages', `ends with calls that have no tool messages: ${due.join(', ')}`)
  const last = messages.at(-1)
  const isAnswerable =
    /^(?:user|tool)$/.test(String(last?.role)) || (rules.lastIsUser === 'or prefix' && last?.prefix === true)
  if (rules.lastIsUser) found.check(isAnswerable, 'messages', 'Expected last role User or Tool')
}

function checkMessage(message: Wire, rules: ChatRules, path: string, found: Findings): void {
  const role = String(message.role)
  const keys = messageKeys[role]
  if (!found.check(keys !== undefined, path, `role "${role}"`) || keys === undefined) return
  found.check(role !== 'developer' || rules.developer === true, path, 'role "developer"')
  const more =
    role === 'assistant' ? (rules.reasoning ?? []) : role === 'tool' && rules.resultName !== 'refused' ? ['name'] : []
  const kept = role === 'assistant' ? ['annotations', 'extra_content'] : []
  const prefix = role === 'assistant' && rules.lastIsUser === 'or prefix' ? ['prefix'] : []
  found.keys(message, new Set([...keys, ...more, ...prefix, ...(rules.openai ? [] : kept)]), path)
  if (role === 'tool') {
    if (rules.resultName === 'needed') found.text(message.name, `${path}.name`)
    found.check(typeof message.content === 'string' || !rules.inlineImages, path, 'a tool message that is not a string')
  }
  if (role === 'assistant') checkAssistant(message, rules, path, found)
  else found.check(typeof message.content === 'string' || Array.isArray(message.content), path, 'has no content')
  checkContent(message.content, role, rules, `${path}.content`, found)
}

function checkAssistant(message: Wire, rules: ChatRules, path: string, found: Findings): void {
  const calls = list(message.tool_calls)
  if ('tool_calls' in message) {
    found.check(calls.length > 0, `${path}.tool_calls`, 'is empty')
    found.check(!rules.withoutTools, `${path}.tool_calls`, 'there are no tools here')
  }
  calls.forEach((call, at) => {
    const where = `${path}.tool_calls[${at}]`
    found.match(call.id, rules.callId ?? /^.+$/s, `${where}.id`)
    if (call.type === 'custom' && rules.openai) return
    found.check(call.type === 'function', where, `type "${call.type}"`)
    const { name, arguments: text } = object(call.function)
    found.match(name, /^[\w-]{1,64}$/, `${where}.function.name`)
    if (found.text(text, `${where}.function.arguments`))
      found.check(parsesToObject(text), `${where}.function.arguments`, 'hosts parse it, and it is not a JSON object')
  })
  // §2.4: "Assistant message needs content or calls"; an empty string is refused by many.
  const says = message.content != null && message.content.toString() !== ''
  const rest = calls.length > 0 || 'audio' in message || 'refusal' in message || 'function_call' in message
  found.check(says || rest, path, 'an assistant message with neither content nor calls')
}

function checkContent(content: unknown, role: string, rules: ChatRules, path: string, found: Findings): void {
  if (!Array.isArray(content)) return
  found.check(content.length > 0, path, 'is empty')
  const isPlainHost = !rules.openai && !rules.thinkingParts
  // dialects.md §1 `assistantPartsArray`.
  const isMarked = list(content).some((part) => 'cache_control' in part) // dialects.md §7
  if (role === 'assistant' && isPlainHost && !isMarked) found.say(path, 'several hosts fail on arrays of an assistant')
  list(content).forEach((part, at) => {
    checkPart(part, role, rules, `${path}[${at}]`, found)
  })
}

function checkPart(part: Wire, role: string, rules: ChatRules, path: string, found: Findings): void {
  const type = String(part.type)
  if (type === 'text') {
    found.text(part.text, `${path}.text`)
    return
  }
  if (role === 'assistant') {
    const isTaken = type === 'refusal' || (type === 'thinking' && rules.thinkingParts === true)
    found.check(isTaken, path, `a part of the type "${type}" in an assistant message`)
    return
  }
  if (!found.check(role === 'user', path, `a "${role}" message takes text parts only, and this is "${type}"`)) return
  found.check(!rules.textOnly, path, `a part of the type "${type}" where there is text only`)
  found.check(!rules.withoutParts?.has(type), path, `a part of the type "${type}"`)
  checkMedia(type, part, rules, path, found)
}

function checkMedia(type: string, part: Wire, rules: ChatRules, path: string, found: Findings): void {
  const { url } = object(part.image_url)
  const { data, format } = object(part.input_audio)
  const { file_data: fileData, file_id: fileId } = object(part.file)
  switch (type) {
    case 'image_url':
      found.check(isDataUrl(url) || (isWebAddress(url) && !rules.inlineImages), path, `image "${url}"`)
      return
    case 'input_audio':
      if (rules.withoutParts?.has('file') && isBase64(part.input_audio)) return // Mistral, §6
      found.check(isBase64(data), path, 'audio is raw base64')
      found.check(format === 'wav' || format === 'mp3', path, `audio format "${format}"`)
      return
    case 'file': {
      const isAddress = isWebAddress(fileData) && rules.parts?.has('video_url') === true // OpenRouter, §7
      found.check(isDataUrl(fileData) || isAddress || typeof fileId === 'string', path, 'a file without data')
      return
    }
    default:
      found.check(rules.parts?.has(type) === true, path, `a part of the type "${type}"`)
  }
}

const user = { role: 'user', content: 'Hello' }
const call = (id: string, args = '{}') => ({ id, type: 'function', function: { name: 'f', arguments: args } })
const turn = (...calls: unknown[]) => ({ role: 'assistant', content: null, tool_calls: calls })
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'x' })
const good = { model: 'm', messages: [user, turn(call('a')), result('a')] }
const nine = 'abcdefghi'
const named = { ...result(nine), name: 'f' }
const thought = { ...turn(call('a')), reasoning_content: '' }

export const refusals: readonly Refusals[] = [
  {
    title: 'Chat Completions',
    provider: 'openai',
    good,
    cases: withTurns('messages', [
      ['a call without its result', /without tool messages: a/, [user, turn(call('a')), user]],
      ['a last call without its result', /ends with calls/, [user, turn(call('a'))]],
      ['a stray result', /answers "a"/, [user, result('a')]],
      ['two calls of one id', /two calls/, [user, turn(call('a'), call('a')), result('a')]],
      ['a long id', /\.id/, [user, turn(call('a'.repeat(41))), result('a'.repeat(41))]],
      ['an empty turn', /neither content nor calls/, [user, { role: 'assistant', content: '' }]],
      ['empty calls', /tool_calls: is empty/, [user, { role: 'assistant', content: 'x', tool_calls: [] }]],
      ['a name on a result', /"name"/, [user, turn(call('a')), { ...result('a'), name: 'f' }]],
      ['reasoning', /reasoning_content/, [user, { role: 'assistant', content: 'x', reasoning_content: 'y' }]],
      [
        'an image in a result',
        /text parts only/,
        [user, turn(call('a')), { ...result('a'), content: [{ type: 'image_url', image_url: { url: 'x' } }] }],
      ],
      [
        'audio as a data URL',
        /raw base64/,
        [
          {
            role: 'user',
            content: [{ type: 'input_audio', input_audio: { data: 'data:a/b;base64,aGk=', format: 'wav' } }],
          },
        ],
      ],
      ['a choice without tools', /only valid with tools/, { tool_choice: 'auto' }],
      ['half of a character', /half of a character/, [{ role: 'user', content: '\ud83d' }]],
    ]),
  },
  {
    title: 'Chat Completions of Mistral',
    provider: 'mistral',
    good: { model: 'm', messages: [user, turn(call(nine)), named] },
    cases: withTurns('messages', [
      ['an id of another length', /\.id/, good],
      ['a user behind a result', /after role 'tool'/, [user, turn(call(nine)), named, user]],
      ['a last assistant', /Expected last role/, [user, { role: 'assistant', content: 'x' }]],
      ['a second system message', /system message/, [user, { role: 'system', content: 'x' }, user]],
      ['a result without a name', /\.name/, [user, turn(call(nine)), result(nine)]],
    ]),
  },
  {
    title: 'Chat Completions of Moonshot',
    provider: 'moonshot',
    good: { model: 'm', messages: [user, thought, result('a'), { role: 'assistant', content: 'x' }, user] },
    cases: withTurns('messages', [
      ['a turn of calls without reasoning', /reasoning_content/, [user, turn(call('a')), result('a')]],
    ]),
  },
  {
    title: 'Chat Completions of DeepSeek',
    provider: 'deepseek',
    good: { model: 'm', messages: [user, thought, result('a')] },
    cases: withTurns('messages', [
      ['a turn of calls without reasoning', /reasoning_content/, good],
      [
        'an image',
        /text only/,
        [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x.y' } }] }],
      ],
      [
        'arguments that are not valid JSON',
        /not a JSON object/,
        [user, { ...turn(call('a', '{')), reasoning_content: '' }, result('a')],
      ],
      ['the newer name of the limit', /max_tokens/, { max_completion_tokens: 5 }],
      ['a developer', /developer/, [{ role: 'developer', content: 'x' }, user]],
      ['fields of OpenAI’s own', /store/, { store: false }],
    ]),
  },
  {
    title: 'Chat Completions of Perplexity',
    provider: 'perplexity',
    good: { model: 'm', messages: [user] },
    cases: withTurns('messages', [
      ['calls', /no tools/, good],
      ['neighbours of one role', /alternate/, [user, user]],
      ['an answer at the end', /Expected last role/, [user, { role: 'assistant', content: 'x' }]],
    ]),
  },
]
