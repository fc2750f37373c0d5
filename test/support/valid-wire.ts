/**
 * Finds why a server would answer a request's body with a 400. Written from the tables "rules that give 400" of the wire documents; it
 * imports nothing from `src`.
 */

type Wire = Readonly<Record<string, unknown>>
const list = (value: unknown): readonly Wire[] => (Array.isArray(value) ? value : [])

/** By the name of the format. */
export const wireViolations: Readonly<Record<string, (body: unknown) => readonly string[]>> = {
  'openai-chat': (body) => checkChat(list((body as Wire).messages)),
  'openai-responses': (body) => checkResponses(list((body as Wire).input)),
  anthropic: (body) => checkAnthropic(list((body as Wire).messages)),
  gemini: (body) => checkGemini(list((body as Wire).contents)),
  'gemini-interactions': (body) => checkInteractions(list((body as Wire).input)),
  ollama: (body) => checkOllama(list((body as Wire).messages)),
  cohere: (body) => checkCohere(list((body as Wire).messages)),
  'bedrock-converse': (body) => checkBedrock(list((body as Wire).messages)),
}

/** wire/bedrock-converse.md §2: the same turns as Anthropic's, each block under the name of its kind. */
function checkBedrock(messages: readonly Wire[]): readonly string[] {
  return checkAnthropic(
    messages.map(({ role, content }) => ({
      role,
      content: list(content).map((block) => {
        const { toolUse, toolResult, text } = block as Record<string, Wire>
        if (toolUse !== undefined) return { type: 'tool_use', id: toolUse.toolUseId, input: toolUse.input }
        if (toolResult !== undefined) return { type: 'tool_result', tool_use_id: toolResult.toolUseId }
        return text === undefined ? { type: Object.keys(block)[0] } : { type: 'text', text }
      }),
    })),
    /^[\w.:-]{1,64}$/,
  )
}

/** wire/openai-chat.md §2.4 */
function checkChat(messages: readonly Wire[]): readonly string[] {
  const found: string[] = []
  let due: unknown[] = []
  messages.forEach((message, at) => {
    if (message.role === 'tool') {
      if (!due.includes(message.tool_call_id)) found.push(`${at}: a tool message answers no call before it`)
      due = due.filter((id) => id !== message.tool_call_id)
      if (Array.isArray(message.content) && list(message.content).some((part) => part.type !== 'text'))
        found.push(`${at}: a tool message holds more than text`)
      return
    }
    if (due.length > 0) found.push(`${at}: calls without tool messages: ${due.join()}`)
    const calls = list(message.tool_calls)
    due = calls.map((call) => call.id)
    if (new Set(due).size < due.length) found.push(`${at}: one id twice`)
    for (const call of calls) {
      const { name, arguments: args } = call.function as Wire
      if (typeof args !== 'string') found.push(`${at}: arguments are not text`)
      if (!/^[\w-]{1,64}$/.test(String(name))) found.push(`${at}: illegal name ${name}`)
      if (String(call.id).length > 40) found.push(`${at}: long id`)
    }
    if ('tool_calls' in message && calls.length === 0) found.push(`${at}: "tool_calls" is empty`)
    if (
      message.role === 'assistant' &&
      message.content == null &&
      calls.length === 0 &&
      !('refusal' in message) &&
      !('audio' in message)
    )
      found.push(`${at}: an assistant message with neither content nor calls`)
    if (message.role !== 'assistant' && message.content == null) found.push(`${at}: no content`)
  })
  if (due.length > 0) found.push(`end: calls without tool messages: ${due.join()}`)
  return found
}

/** wire/openai-responses.md §2.4 */
function checkResponses(items: readonly Wire[]): readonly string[] {
  const found: string[] = []
  const calls = new Set<unknown>()
  const outputs = new Set<unknown>()
  items.forEach((item, at) => {
    if (item.type === 'function_call') {
      if (calls.has(item.call_id)) found.push(`${at}: call_id twice`)
      if (String(item.call_id).length > 64) found.push(`${at}: long call_id`)
      calls.add(item.call_id)
    }
    if (item.type === 'function_call_output') {
      if (!calls.has(item.call_id)) found.push(`${at}: No tool call found for function call output`)
      outputs.add(item.call_id)
    }
    if (item.type === 'reasoning') {
      const next = items[at + 1]
      const follows =
        next !== undefined && (next.type !== 'message' || next.role === 'assistant') && next.role !== 'user'
      if (!follows || next?.type === 'function_call_output') found.push(`${at}: reasoning without its following item`)
    }
  })
  for (const id of calls) if (!outputs.has(id)) found.push(`No tool output found for function call ${id}`)
  return found
}

/** wire/anthropic.md §2.4; neighbours of one role are merged by the server, as they are here. */
function checkAnthropic(messages: readonly Wire[], legalId = /^[\w-]{1,64}$/): readonly string[] {
  const found: string[] = []
  const turns: { role: unknown; content: Wire[] }[] = []
  for (const { role, content } of messages) {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : [...list(content)]
    if (turns.at(-1)?.role === role) turns.at(-1)?.content.push(...blocks)
    else turns.push({ role, content: blocks })
  }
  if (turns.length > 0 && turns[0]?.role !== 'user') found.push('the first message is not a user’s')
  const seen = new Set<unknown>()
  turns.forEach(({ role, content }, at) => {
    if (content.length === 0) found.push(`${at}: all messages must have non-empty content`)
    const results = content.filter((block) => block.type === 'tool_result').map((block) => block.tool_use_id)
    const before = idsOf(turns[at - 1]?.content ?? [])
    if (String(results) !== String(before)) found.push(`${at}: results ${results} behind calls ${before}`)
    if (results.length > 0 && content.slice(0, results.length).some((block) => block.type !== 'tool_result'))
      found.push(`${at}: results are not first`)
    for (const id of idsOf(content)) {
      if (seen.has(id)) found.push(`${at}: tool_use ids must be unique`)
      if (!legalId.test(String(id))) found.push(`${at}: illegal id ${id}`)
      seen.add(id)
    }
    for (const block of content) {
      if (block.type === 'text' && String(block.text).trim() === '') found.push(`${at}: text must be non-empty`)
      if (
        block.type === 'tool_use' &&
        (typeof block.input !== 'object' || block.input === null || Array.isArray(block.input))
      )
        found.push(`${at}: input is not an object`)
      if (block.type === 'thinking' && typeof block.signature !== 'string')
        found.push(`${at}: thinking without a signature`)
    }
    if (role === 'assistant' && /thinking$/.test(String(content.at(-1)?.type))) found.push(`${at}: thinking comes last`)
  })
  const last = turns.at(-1)
  if (last?.role === 'assistant' && idsOf(last.content).length > 0) found.push('end: tool_use without tool_result')
  return found
}

function idsOf(content: readonly Wire[]): readonly unknown[] {
  return content.filter((block) => block.type === 'tool_use').map((block) => block.id)
}

/** wire/gemini.md §2.4 */
function checkGemini(contents: readonly Wire[]): readonly string[] {
  const found: string[] = []
  if (contents.length > 0 && contents[0]?.role !== 'user') found.push('the first content is not a user’s')
  contents.forEach((content, at) => {
    const parts = list(content.parts)
    if (parts.length === 0) found.push(`${at}: it must include at least one parts field`)
    for (const part of parts) {
      const isBare = Object.keys(part).every((key) => key === 'thought')
      const isBlank = part.text === '' && part.thoughtSignature === undefined
      if (isBare || isBlank) found.push(`${at}: a part without data`)
    }
    const names = (list_: readonly Wire[], key: string) =>
      list_.map((part) => (part[key] as Wire | undefined)?.name).filter(Boolean)
    const responses = names(parts, 'functionResponse')
    const before = contents[at - 1]
    const calls = before?.role === 'model' ? names(list(before.parts), 'functionCall') : []
    if (String(calls) !== String(responses)) found.push(`${at}: responses ${responses} behind calls ${calls}`)
    if (
      contents[at - 1]?.role === content.role &&
      responses.length === 0 &&
      calls.length === 0 &&
      content.role === 'model'
    )
      found.push(`${at}: two turns of the model`)
  })
  const last = contents.at(-1)
  if (list(last?.parts).some((part) => 'functionCall' in part)) found.push('end: a call without a response')
  return found
}

/** wire/gemini-interactions.md §2.1, §8 */
function checkInteractions(steps: readonly Wire[]): readonly string[] {
  const found: string[] = []
  const due = new Set<unknown>()
  steps.forEach((step, at) => {
    if (step.type === 'function_call') {
      if (due.has(step.id)) found.push(`${at}: one id twice`)
      if (typeof step.arguments !== 'object') found.push(`${at}: arguments are no object`)
      due.add(step.id)
    } else if (step.type === 'function_result') {
      if (!due.delete(step.call_id)) found.push(`${at}: a result without a call`)
    } else if (step.type === 'thought') {
      if (!step.signature) found.push(`${at}: a thought without a signature`)
    } else if (list(step.content).length === 0) found.push(`${at}: a step without content`)
  })
  if (due.size > 0) found.push(`end: calls without results: ${[...due].join()}`)
  return found
}

/** wire/ollama.md §2: results by order and name. */
function checkOllama(messages: readonly Wire[]): readonly string[] {
  const found: string[] = []
  let due: unknown[] = []
  messages.forEach((message, at) => {
    if (typeof message.content !== 'string') found.push(`${at}: content is not text`)
    if (message.role === 'tool') {
      const name = due.shift()
      if (message.tool_name !== name) found.push(`${at}: the result of ${message.tool_name} where ${name} was due`)
      return
    }
    if (due.length > 0) found.push(`${at}: calls without results: ${due.join()}`)
    const calls = list(message.tool_calls).map((call) => call.function as Wire)
    due = calls.map((call) => call.name)
    if (calls.some((call) => typeof call.arguments !== 'object')) found.push(`${at}: arguments are not an object`)
  })
  if (due.length > 0) found.push(`end: calls without results: ${due.join()}`)
  return found
}

/** wire/cohere.md §2.1 and §2.2 */
function checkCohere(messages: readonly Wire[]): readonly string[] {
  const found: string[] = []
  let due: unknown[] = []
  messages.forEach((message, at) => {
    const { role, content } = message
    if (role === 'tool') {
      if (!due.includes(message.tool_call_id)) found.push(`${at}: a result answers no call before it`)
      due = due.filter((id) => id !== message.tool_call_id)
      if (list(content).some((part) => part.type !== 'text' && part.type !== 'document'))
        found.push(`${at}: a result holds more than text and documents`)
      return
    }
    if (due.length > 0) found.push(`${at}: calls without results: ${due.join()}`)
    const calls = list(message.tool_calls)
    due = calls.map((call) => call.id)
    if (new Set(due).size < due.length) found.push(`${at}: one id twice`)
    if (role === 'system' && at > 0 && messages[at - 1]?.role !== 'system')
      found.push(`${at}: system turn must be the first in the list`)
    const isBlank = typeof content === 'string' ? content.trim() === '' : list(content).length === 0
    if (isBlank && calls.length === 0) found.push(`${at}: message must not be empty in a turn`)
    if (role === 'user' && list(content).some((part) => part.type === 'text' && String(part.text).trim() === ''))
      found.push(`${at}: message must be at least 1 token long`)
    for (const call of calls) {
      const { name, arguments: args } = call.function as Wire
      if (typeof args !== 'string') found.push(`${at}: arguments are no text`)
      else if (typeof JSON.parse(args) !== 'object') found.push(`${at}: arguments are no object`)
      if (!/^[A-Za-z][\w-]*$/.test(String(name))) found.push(`${at}: illegal name ${name}`)
    }
  })
  if (due.length > 0) found.push(`end: calls without results: ${due.join()}`)
  return found
}
