/** What we encode is what the official SDK takes: checked by the compiler, never run. */
import type Anthropic from '@anthropic-ai/sdk'
import type { WireRequest, WireTool, WireToolChoice } from '../../../src/codecs/anthropic/wire.ts'

type Assignable<From extends To, To> = From

export type RequestIsTaken = Assignable<WireRequest, Anthropic.MessageCreateParams>
export type MessagesAreTaken = Assignable<WireRequest['messages'], Anthropic.MessageParam[]>
export type ToolIsTaken = Assignable<WireTool, Anthropic.Tool>
export type ToolChoiceIsTaken = Assignable<WireToolChoice, Anthropic.ToolChoice>
