/** Checked only by the compiler: encoded requests and answers have the types of the official client. */
import type OpenAI from 'openai'
import type { WireRequest, WireResponse, WireUsage } from '../../../src/formats/openai-chat/index.ts'

type Assignable<From extends To, To> = From

export type Checks = [
  Assignable<WireRequest, OpenAI.ChatCompletionCreateParams>,
  Assignable<WireRequest['messages'][number], OpenAI.ChatCompletionMessageParam>,
  Assignable<WireResponse, OpenAI.ChatCompletion>,
  Assignable<WireUsage, OpenAI.CompletionUsage>,
]
