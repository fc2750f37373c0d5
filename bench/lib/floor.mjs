/**
 * The least that any reader of a stream does: bytes to text, text to events, `JSON.parse` of each. It is given the line ending of the
 * stream, and does not handle errors, limits, unusual fields or cuts within a character.
 */
export function floorOf(wire, stream) {
  if (wire === 'ollama') return readLines
  const end = typeof stream !== 'string' && stream.includes(0x0d) ? '\r\n\r\n' : '\n\n'
  return (chunks) => readEvents(chunks, end)
}

function readEvents(chunks, end) {
  const decoder = new TextDecoder()
  let rest = ''
  let last
  for (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true })
    const events = rest.split(end)
    rest = events.pop()
    for (const event of events) {
      const data = event.slice(event.indexOf('data: ') + 6)
      if (data !== '[DONE]') last = JSON.parse(data)
    }
  }
  return last
}

function readLines(chunks) {
  const decoder = new TextDecoder()
  let rest = ''
  let last
  for (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true })
    const lines = rest.split('\n')
    rest = lines.pop()
    for (const line of lines) last = JSON.parse(line)
  }
  return last
}
