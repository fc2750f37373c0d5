/** Bodies that the validator refuses. */
import type { Refusals } from '../validator.ts'

const says = (...parts: unknown[]) => ({ role: 'model', parts })
const hears = (...parts: unknown[]) => ({ role: 'user', parts })
const text = (value: string) => ({ text: value })
const call = (name: string) => ({ functionCall: { name, args: {} } })
const signed = (name: string) => ({ ...call(name), thoughtSignature: 'c2ln' })
const response = (name: string) => ({ functionResponse: { name, response: { output: 1 } } })
const good = { contents: [hears(text('x')), says(signed('f'), call('g')), hears(response('f'), response('g'))] }

export const refusals: readonly Refusals[] = [
  {
    title: 'Gemini',
    provider: 'gemini',
    good,
    cases: [
      [
        'too few responses',
        /1 function response parts for 2/,
        { contents: [...good.contents.slice(0, 2), hears(response('f'))] },
      ],
      [
        'responses in another order',
        /name and order/,
        {
          contents: [...good.contents.slice(0, 2), hears(response('g'), response('f'))],
        },
      ],
      [
        'responses among text',
        /mixed/,
        { contents: [...good.contents.slice(0, 2), hears(response('f'), response('g'), text('x'))] },
      ],
      ['a call that nothing precedes', /first content/, { contents: [says(signed('f')), hears(response('f'))] }],
      [
        'an unsigned call in this turn',
        /thought_signature/,
        { contents: [hears(text('x')), says(call('f')), hears(response('f'))] },
      ],
      ['no parts', /at least one parts/, { contents: [hears()] }],
      ['an empty part', /no data/, { contents: [hears(text(''))] }],
      [
        'two data fields',
        /2 data fields/,
        { contents: [hears({ text: 'x', inlineData: { mimeType: 'a/b', data: 'aGk=' } })] },
      ],
      [
        'a response that is not an object',
        /response: is not an object/,
        {
          contents: [hears(text('x')), says(signed('f')), hears({ functionResponse: { name: 'f', response: 'x' } })],
        },
      ],
      [
        'a signature that is not valid base64',
        /valid base64/,
        { contents: [hears(text('x')), says({ text: 'x', thoughtSignature: '{}' })] },
      ],
      [
        'pieces of arguments',
        /unknown field "partialArgs"/,
        {
          contents: [
            hears(text('x')),
            says({ functionCall: { name: 'f', partialArgs: [] }, thoughtSignature: 'c2ln' }),
            hears(response('f')),
          ],
        },
      ],
      ['an unknown field', /unknown field "model"/, { model: 'm' }],
      [
        'references in the older schema',
        /\$ref/,
        {
          tools: [{ functionDeclarations: [{ name: 'f', parameters: { properties: { a: { $ref: '#' } } } }] }],
        },
      ],
      ['an illegal name', /name/, { tools: [{ functionDeclarations: [{ name: '9' }] }] }],
    ],
  },
  {
    title: 'Gemini 3.8',
    provider: 'gemini',
    model: 'gemini-3.8-flash',
    good,
    cases: [['an answer at the end', /ending with a model turn/, { contents: [hears(text('x')), says(text('y'))] }]],
  },
  {
    title: 'Gemini on Vertex',
    provider: 'vertex',
    good,
    cases: [
      [
        'an id of a call',
        /an id/,
        {
          contents: [
            hears(text('x')),
            says({ functionCall: { id: 'a', name: 'f', args: {} }, thoughtSignature: 'c2ln' }),
            hears(response('f')),
          ],
        },
      ],
    ],
  },
]
