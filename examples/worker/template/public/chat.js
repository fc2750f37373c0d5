/**
 * Asks the Worker that serves this page. Without a library: a token, one request, and the text of its events. With `isoglot/remote`, a page
 * has tools, approval and all else too. A password, if the page asks for one, takes the place of the token.
 */
const form = document.querySelector('form')
const answer = document.querySelector('#answer')

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const fields = new FormData(form)
  answer.textContent = ''
  try {
    for await (const text of ask(fields.get('question'), fields.get('password'))) answer.textContent += text
  } catch (error) {
    answer.textContent = `The request failed: ${error.message}`
  }
})

async function* ask(question, password) {
  const token = password ?? (await (await post('/session', {})).json()).token
  const context = { messages: [{ role: 'user', content: question }] }
  const body = { version: 1, model: 'openai:gpt-5-mini', context }
  const response = await post('/answer', body, { authorization: `Bearer ${token}` })
  let held = ''
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (held + chunk).split('\n')
    held = lines.pop()
    for (const line of lines) {
      if (!line.startsWith('data: ')) continue
      const event = JSON.parse(line.slice('data: '.length))
      if (event.type === 'error') throw new Error(event.error.message)
      if (event.type === 'text_delta') yield event.text
    }
  }
}

async function post(path, body, headers = {}) {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }
  const response = await fetch(path, init)
  if (!response.ok) throw new Error((await response.json()).error.message)
  return response
}
