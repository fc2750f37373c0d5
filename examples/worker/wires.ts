/**
 * The two wires this Worker speaks, and all in which they differ.
 *
 * @see https://platform.openai.com/docs/api-reference/chat and https://docs.claude.com/en/api/messages (read 2026-11)
 * @module
 */
import type { Refusal, RefusalCode } from './refusal.ts'

export type WireName = 'openai-chat' | 'anthropic'

/** What one event of an answer means to whoever passes it on. */
export type Progress = 'more' | 'finished' | 'end' | RefusalCode

/** One wire: a value, so that the code beside it never asks which one it has. */
export interface Wire {
  readonly name: WireName
  /** Shows the provider its key, and the version we were written for. */
  upstreamHeaders(apiKey: string): Record<string, string>
  /** The body official SDKs read as an error. */
  errorBody(refusal: Refusal): unknown
  /** The last frame of an answer that broke. */
  errorFrame(refusal: Refusal): string
  /** What an event says: `finished` from when on an end of the line is a proper one, `end` at the last event. */
  progress(data: string): Progress
  /** The frame that ends a finished answer whose provider forgot it. */
  readonly endFrame: string
}

export const openaiChat: Wire = {
  name: 'openai-chat',
  upstreamHeaders: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  errorBody: ({ message, status, code }) => ({
    error: { message, type: lookup(chatTypes, status, 'server_error'), param: null, code },
  }),
  errorFrame: (refusal) => `data: ${JSON.stringify(openaiChat.errorBody(refusal))}\n\n`,
  progress(data) {
    if (data === '[DONE]') return 'end'
    const event = parse(data)
    if (!event) return 'upstream_failed'
    if (event.error) return midStream(event.error)
    const choices = Array.isArray(event.choices) ? event.choices : []
    return choices.some((choice) => choice?.finish_reason) ? 'finished' : 'more'
  },
  endFrame: 'data: [DONE]\n\n',
}

export const anthropic: Wire = {
  name: 'anthropic',
  upstreamHeaders: (apiKey) => ({ 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }),
  errorBody: ({ message, status }) => ({
    type: 'error',
    error: { type: lookup(anthropicTypes, status, 'api_error'), message },
  }),
  errorFrame: (refusal) => `event: error\ndata: ${JSON.stringify(anthropic.errorBody(refusal))}\n\n`,
  progress(data) {
    const event = parse(data)
    if (!event) return 'upstream_failed'
    if (event.type === 'error') return midStream(event.error)
    return event.type === 'message_stop' ? 'end' : 'more'
  },
  endFrame: '',
}

export const wires: Readonly<Record<WireName, Wire>> = { 'openai-chat': openaiChat, anthropic }

const chatTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'invalid_request_error',
  405: 'invalid_request_error',
  408: 'invalid_request_error',
  413: 'invalid_request_error',
  415: 'invalid_request_error',
  429: 'rate_limit_error',
}

const anthropicTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  408: 'invalid_request_error',
  413: 'request_too_large',
  415: 'invalid_request_error',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
}

/** An error in the middle of a 200 has a word in place of a status. */
const midStreamWords: Readonly<Record<string, RefusalCode>> = {
  overloaded_error: 'upstream_overloaded',
  rate_limit_error: 'upstream_rate_limited',
  rate_limit_exceeded: 'upstream_rate_limited',
  invalid_request_error: 'upstream_refused',
  authentication_error: 'upstream_credentials',
  permission_error: 'upstream_credentials',
  timeout_error: 'upstream_timeout',
}

function midStream(error: unknown): RefusalCode {
  const word = typeof error === 'object' && error !== null && 'type' in error ? String(error.type) : ''
  return lookup(midStreamWords, word, 'upstream_failed')
}

function lookup<T>(table: Readonly<Record<PropertyKey, T>>, key: PropertyKey, otherwise: T): T {
  return Object.hasOwn(table, key) ? (table[key] as T) : otherwise
}

function parse(data: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(data)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
