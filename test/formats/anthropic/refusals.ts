/** Bodies that the validator refuses. */
import type { Refusals } from '../validator.ts'

const user = { role: 'user', content: 'Hello' }
const call = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} })
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'x' })
const says = (...content: unknown[]) => ({ role: 'assistant', content })
const hears = (...content: unknown[]) => ({ role: 'user', content })
const text = (value: string) => ({ type: 'text', text: value })
const thinking = { type: 'thinking', thinking: '', signature: 'x' }
const image = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }
const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }
const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }
const code = says(
  { ...search, name: 'code_execution' },
  { ...call('a'), caller: { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' } },
)
const good = { model: 'm', max_tokens: 5, messages: [user, says(thinking, call('a')), hears(result('a'), text('x'))] }

export const refusals: readonly Refusals[] = [
  {
    title: 'Messages',
    provider: 'anthropic',
    good,
    cases: [
      ['no limit', /max_tokens/, { max_tokens: undefined }],
      ['an assistant first', /not a user/, { messages: [says(text('x'))] }],
      ['a call without a result', /0 `tool_result` blocks/, { messages: [user, says(call('a')), user] }],
      ['a result too many', /unexpected/, { messages: [hears(result('a'))] }],
      ['results behind text', /come first/, { messages: [user, says(call('a')), hears(text('x'), result('a'))] }],
      ['an id twice', /unique/, { messages: [user, says(call('a'), call('a')), hears(result('a'), result('a'))] }],
      ['an illegal id', /\.id/, { messages: [user, says(call('f:0')), hears(result('f:0'))] }],
      [
        'input that is not an object',
        /not an object/,
        { messages: [user, says({ ...call('a'), input: '{}' }), hears(result('a'))] },
      ],
      ['blank text', /non-empty/, { messages: [hears(text(' '))] }],
      ['empty content', /non-empty content/, { messages: [hears()] }],
      ['unsigned thinking', /signature/, { messages: [user, says({ ...thinking, signature: '' }, text('x'))] }],
      ['thinking that comes last', /final block/, { messages: [user, says(text('x'), thinking)] }],
      ['text behind a call', /refused/, { messages: [user, says(call('a'), text('x')), hears(result('a'))] }],
      ['a system message', /role "system"/, { messages: [user, { role: 'system', content: 'x' }] }],
      ['white space at the end', /whitespace/, { messages: [user, says(text('x '))] }],
      [
        'a data URL',
        /raw base64/,
        {
          messages: [
            hears({
              type: 'image',
              source: { type: 'base64', media_type: 'image/png', data: 'data:image/png;base64,aGk=' },
            }),
          ],
        },
      ],
      ['another schema than an object’s', /must be "object"/, { tools: [{ name: 'f', input_schema: {} }] }],
      [
        'a field that only answers have',
        /unknown field "file_id"/,
        { messages: [user, says({ ...text('x'), citations: [{ type: 'char_location', file_id: null }] }), user] },
      ],
      [
        'an image in an error',
        /must be type `text`/,
        { messages: [user, says(call('a')), hears({ ...result('a'), is_error: true, content: [image] })] },
      ],
      ['a server tool without its result', /without its result/, { messages: [user, says(search, text('x')), user] }],
      ['a result of no server tool', /unexpected/, { messages: [user, says(found, text('x')), user] }],
      [
        'results for code that waits nowhere',
        /container_id is required/,
        { messages: [user, code, hears(result('a'))] },
      ],
      [
        'more than results for code that waits',
        /results alone/,
        { container: 'c', messages: [user, code, hears(result('a'), text('x'))] },
      ],
      [
        'a round without its thoughts',
        /Expected thinking/,
        { thinking: { type: 'enabled' }, messages: [user, says(call('a')), hears(result('a'))] },
      ],
      [
        'a prefill while the model thinks',
        /forbids/,
        { thinking: { type: 'enabled' }, messages: [user, says(text('x'))] },
      ],
      [
        'a forced call while the model thinks',
        /forces tool use/,
        { thinking: { type: 'enabled' }, tool_choice: { type: 'any' } },
      ],
      ['a fifth cache mark, in a result', /5 marks/, { messages: [user, says(call('a')), hears(marked(5))] }],
      [
        'a mark of an hour after a short one',
        /1h after/,
        { messages: [user, says(call('a')), hears(marked(1, '1h'))] },
      ],
      ['a mark on thinking', /on thinking/, { messages: [user, says({ ...thinking, ...mark() }, text('x')), user] }],
    ],
  },
  {
    title: 'Messages of Claude 4.7',
    provider: 'anthropic',
    model: 'claude-opus-4-7',
    good,
    cases: [
      ['an answer at the end', /does not support assistant message prefill/, { messages: [user, says(text('x'))] }],
      [
        'a forced call beside adaptive thinking',
        /forces tool use/,
        { thinking: { type: 'adaptive' }, tool_choice: { type: 'tool', name: 'f' } },
      ],
    ],
  },
]

function mark(ttl = '5m') {
  return { cache_control: { type: 'ephemeral', ttl } }
}

/** A result with this number of marks in it, and one of its own. */
function marked(inside: number, ttl?: string) {
  const content = Array.from({ length: ttl === undefined ? inside - 1 : inside }, () => ({ ...text('x'), ...mark() }))
  return { ...result('a'), content, ...mark(ttl) }
}
