/**
 * The names of the conventions for generative AI that we write, as the registry has them: of v1.41.0, and of the repository that they moved to.
 *
 * @see https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/registry/attributes/gen-ai.md (read 2026-11)
 * @see https://github.com/open-telemetry/semantic-conventions-genai (read 2026-11)
 */
const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/** Both have these. */
const common = words(`
  gen_ai.operation.name gen_ai.provider.name gen_ai.agent.name gen_ai.conversation.id gen_ai.output.type
  gen_ai.request.model gen_ai.request.max_tokens gen_ai.request.temperature gen_ai.request.top_p gen_ai.request.top_k gen_ai.request.seed
  gen_ai.request.stop_sequences gen_ai.request.frequency_penalty gen_ai.request.presence_penalty gen_ai.request.reasoning.level
  gen_ai.response.id gen_ai.response.model gen_ai.response.finish_reasons gen_ai.response.time_to_first_chunk
  gen_ai.usage.input_tokens gen_ai.usage.output_tokens gen_ai.usage.cache_read.input_tokens gen_ai.usage.reasoning.output_tokens
  gen_ai.tool.name gen_ai.tool.type gen_ai.tool.call.id gen_ai.tool.description
  gen_ai.system_instructions gen_ai.input.messages gen_ai.output.messages gen_ai.tool.definitions
  gen_ai.tool.call.arguments gen_ai.tool.call.result
  error.type server.address server.port`)

/** Attributes that a span may have, by the choice of names; `isoglot.` is our own. */
export const attributes = {
  'v1.41': [...common, 'gen_ai.usage.cache_creation.input_tokens'],
  latest: [...common, 'gen_ai.usage.cache_write.input_tokens'],
}

export const metricNames = {
  'v1.41': words(`
    gen_ai.client.operation.duration gen_ai.client.operation.time_to_first_chunk gen_ai.client.token.usage`),
  latest: words(`
    gen_ai.client.inference.duration gen_ai.client.inference.time_to_first_chunk
    gen_ai.client.inference.operation.input_tokens gen_ai.client.inference.operation.output_tokens
    gen_ai.client.inference.usage.input_tokens gen_ai.client.inference.usage.output_tokens
    gen_ai.client.inference.usage.cache_read.input_tokens gen_ai.client.inference.usage.cache_write.input_tokens
    gen_ai.client.inference.usage.reasoning.output_tokens
    gen_ai.invoke_agent.duration gen_ai.execute_tool.duration`),
}

/**
 * The fields that a part of a message must have, by its type. A part of another type needs no more than the type.
 *
 * @see https://github.com/open-telemetry/semantic-conventions-genai `model/gen-ai/gen-ai-input-messages.json` (read 2026-11)
 */
export const requiredOfPart: Readonly<Record<string, readonly string[]>> = {
  text: ['content'],
  reasoning: ['content'],
  tool_call: ['name'],
  tool_call_response: ['response'],
  server_tool_call: ['name', 'server_tool_call'],
  server_tool_call_response: ['server_tool_call_response'],
}
