/**
 * isoglot's own wire on the side of a server: pages ask with `remote` of `isoglot/remote`. A question and its answer travel as they are, so
 * nothing is lost between the page and the server. Its guide is "The wire".
 *
 * @module
 */
import * as v from 'valibot'
import type { DecodedRequest, EncodedResponse, Frame, Reply, ServerCodec, StreamEncoder } from '../core/codec.ts'
import { ApiError, DecodeError, IsoglotError, UnsupportedError } from '../core/errors.ts'
import { compact, isObject, unlessEmpty } from '../core/json.ts'
import type {
  ChatResponse,
  ContentBlock,
  Context,
  ContextTool,
  JsonObject,
  JsonSchema,
  Loss,
  MessageEvent,
  ProviderData,
  ProviderState,
  RequestOptions,
} from '../core/messages.ts'
import type { GatewayFormat } from '../formats/shared/gateway-format.ts'
import { check, content, message, metadata } from '../messages/schema.ts'
import { addToBlocks } from '../page/blocks-so-far.ts'
import { type PageError, toPageError } from '../page/page-error.ts'
import { withoutRepeats } from '../page/repeats.ts'
import { answerHeader } from '../remote/index.ts'

// ---- the question -------------------------------------------------------------------------------

const text = v.string()
const flag = v.boolean()
const number = v.pipe(v.number(), v.finite())
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const object = v.custom<JsonObject>(isObject, 'an object is expected')
const schema = v.custom<JsonSchema>(isObject, 'a JSON Schema is expected')
const providerData = v.custom<ProviderData>(
  (value) => isObject(value) && Object.values(value).every(isObject),
  'an object of objects is expected',
)
const state = v.custom<ProviderState>(isObject, 'an object is expected')
const maybe = v.exactOptional

const providerTool = v.strictObject({ type: v.literal('provider_tool'), format: text, value: object })
const definition = v.strictObject({
  name: v.pipe(text, v.nonEmpty()),
  description: maybe(text),
  parameters: maybe(schema),
  strict: maybe(flag),
  annotations: maybe(object),
  metadata: maybe(metadata),
  providerData: maybe(providerData),
})
/** Not a union, whose error would not say which field is wrong. */
const tool: v.GenericSchema<unknown, ContextTool> = v.lazy(
  (given): v.GenericSchema<unknown, ContextTool> =>
    isObject(given) && given.type !== undefined ? providerTool : definition,
)

const options: v.GenericSchema<unknown, Omit<RequestOptions, 'model' | 'stream'>> = v.strictObject({
  maxTokens: maybe(count),
  temperature: maybe(number),
  topP: maybe(number),
  topK: maybe(number),
  seed: maybe(number),
  stop: maybe(v.array(text)),
  frequencyPenalty: maybe(number),
  presencePenalty: maybe(number),
  toolChoice: maybe(
    v.union([
      v.picklist(['auto', 'none', 'required']),
      v.strictObject({ name: text }),
      v.strictObject({ names: v.array(text), mode: v.picklist(['auto', 'required']) }),
    ]),
  ),
  parallelToolCalls: maybe(flag),
  responseFormat: maybe(
    v.strictObject({
      type: v.literal('json'),
      schema: maybe(schema),
      name: maybe(text),
      description: maybe(text),
      strict: maybe(flag),
    }),
  ),
  reasoning: maybe(
    v.strictObject({
      effort: maybe(v.picklist(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])),
      budgetTokens: maybe(count),
    }),
  ),
  user: maybe(text),
  providerOptions: maybe(providerData),
  strict: maybe(flag),
})

const context: v.GenericSchema<unknown, Context> = v.strictObject({
  system: maybe(content),
  messages: v.array(message),
  tools: maybe(v.array(tool)),
  providerState: maybe(state),
})

/** How often a refused request is repeated. A page may only lower it. */
const mostRetries = 2

const question = v.strictObject({
  version: v.literal(1, 'only version 1 is known'),
  model: v.pipe(text, v.nonEmpty('the name of a model is expected')),
  context,
  options: maybe(options, {}),
  takenIds: maybe(v.array(text)),
  wholeAnswer: maybe(flag),
  onlyWhole: maybe(flag),
  live: maybe(flag),
  retries: maybe(count, mostRetries),
})

/** @throws {DecodeError} for a question that is not in the form of the wire; `path` names the wrong field. */
function decodeRequest(body: unknown): DecodedRequest {
  const asked = check(question, body, 'read the question', '')
  const { version: _, model, context, options, wholeAnswer, retries, ...how } = asked
  refuseUnknown((body as JsonObject).context, context, 'context')
  return {
    context,
    options: { ...options, model, ...(!wholeAnswer && { stream: true }) },
    losses: [],
    ...how,
    retries: Math.min(retries, mostRetries),
  }
}

/** The schemas of messages leave out fields that they do not know: here each is an error. @throws {DecodeError} */
function refuseUnknown(given: unknown, read: unknown, path: string): void {
  if (given === read || !isObject(given)) return
  for (const [name, value] of Object.entries(given)) {
    const place = `${path}.${name}`
    const known = (read as JsonObject)[name]
    if (known === undefined) throw new DecodeError(`Cannot read the question: "${place}" is not known`, { path: place })
    if (!Array.isArray(value)) refuseUnknown(value, known, place)
    else for (const [at, one] of value.entries()) refuseUnknown(one, (known as unknown[])[at], `${place}[${at}]`)
  }
}

// ---- the answer ---------------------------------------------------------------------------------

function encodeStream({ losses = [] }: Reply = {}): StreamEncoder {
  const blocks: ContentBlock[] = []
  let before: readonly Loss[] = losses
  const write = (event: object, out: Frame[]) => void out.push({ data: JSON.stringify(event) })
  const begin = (out: Frame[]) => {
    for (const warning of before) write({ type: 'warning', warning }, out)
    before = []
  }
  return {
    losses: [],
    push(event, out) {
      begin(out)
      write(withoutRepeats(event, [], blocks), out)
      addToBlocks(blocks, event)
    },
    end() {},
    fail(error, out) {
      begin(out)
      write({ type: 'error', ...failureOf(error, blocks) }, out)
    },
  }
}

function encodeResponse({ message, ...response }: ChatResponse, { losses = [] }: Reply = {}): EncodedResponse {
  const end: MessageEvent = { type: 'message_end', message, response: { message, ...response } }
  return {
    body: { ...withoutRepeats(end, [], message.content), message, ...compact({ warnings: unlessEmpty(losses) }) },
    losses: [],
  }
}

function encodeError(error: ApiError): ReturnType<ServerCodec['encodeError']> {
  const body = failureOf(error)
  return { status: body.error.status ?? 500, body }
}

/** What the page learns of an error: what a direct model would have thrown, in the words of isoglot. */
function failureOf(error: ApiError, blocks?: readonly ContentBlock[]): { readonly error: PageError } {
  const cause = error.cause instanceof IsoglotError ? error.cause : error
  const { partial } = cause
  const isShown = JSON.stringify(partial?.content) === JSON.stringify(blocks)
  const { content: _, ...rest } = partial ?? {}
  return { error: pageErrorOf(cause, error), ...compact({ partial: partial && (isShown ? rest : partial) }) }
}

function pageErrorOf(cause: IsoglotError, { message, status }: ApiError): PageError {
  if (cause instanceof UnsupportedError) {
    const { path, action, reason, severity } = cause.loss
    return { code: 'unsupported', message: cause.message, status: 400, loss: { path, action, reason, severity } }
  }
  if (!(cause instanceof ApiError) || cause.provider !== undefined) return toPageError(cause)
  // The server's own refusal.
  const { kind, retryable, retryAfterMs } = cause
  return { code: 'api', kind, message, ...compact({ status: status ?? cause.status, retryable, retryAfterMs }) }
}

/** isoglot's own wire, which `remote` of `isoglot/remote` speaks. For `formats` of `createGateway`; its path is `/answer`. */
export const isoglotFormat: GatewayFormat = {
  name: 'isoglot',
  codec: { name: 'isoglot', framing: 'sse', decodeRequest, encodeResponse, encodeStream, encodeError },
  provider: 'isoglot',
  paths: { '/answer': { kind: 'answer' } },
  list: '/models',
  answerHeaders: { [answerHeader]: '1', 'x-accel-buffering': 'no' },
  idPrefix: '',
  limits: [{ name: 'maxTokens', within: 'options' }],
  isEnd: (event) => isObject(event) && (event.type === 'message_end' || event.type === 'error'),
}
