/** Bedrock without I/O. */
import type { HttpModel } from '../../../src/core/question.ts'
import { bedrockConverse } from '../../../src/formats/bedrock-converse/index.ts'

/** Its streams are binary. */
export const server = undefined

export const key = 'br-canary-3Yc7Lp2Ks9'

export const modelAt = (url: string): HttpModel =>
  bedrockConverse('us.anthropic.claude-haiku-4-5-20251001-v1:0', { region: 'us-east-1', baseUrl: url, apiKey: key })
