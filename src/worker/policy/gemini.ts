/**
 * The allowed fields of a Gemini request, in the spelling of its official client.
 *
 * @see https://ai.google.dev/api/generate-content (read 2026-11)
 * @module
 */
import * as v from 'valibot'
import {
  description,
  fraction,
  id,
  imageTypes,
  max,
  name,
  natural,
  object,
  penalty,
  several,
  text,
  whole,
} from './fields.ts'

const image = v.strictObject({ mimeType: imageTypes, data: text })
const proof = { thoughtSignature: v.optional(text) }

/** Each part has one of these fields; its name shows the kind. */
const part = v.union([
  v.strictObject({ text, thought: v.optional(v.boolean()), ...proof }),
  v.strictObject({ inlineData: image, ...proof }),
  v.strictObject({ functionCall: v.strictObject({ id: v.optional(id), name, args: v.optional(object) }), ...proof }),
  v.strictObject({
    functionResponse: v.strictObject({
      id: v.optional(id),
      name,
      response: object,
      parts: v.optional(v.array(v.strictObject({ inlineData: image }))),
    }),
    ...proof,
  }),
])

const declaration = v.strictObject({
  name,
  description: v.optional(description),
  parameters: v.optional(object),
  parametersJsonSchema: v.optional(object),
})

const thinking = v.strictObject({
  includeThoughts: v.optional(v.boolean()),
  thinkingBudget: v.optional(v.pipe(whole, v.minValue(-1))),
  thinkingLevel: v.optional(v.picklist(['MINIMAL', 'LOW', 'MEDIUM', 'HIGH', 'minimal', 'low', 'medium', 'high'])),
})

const generationConfig = v.strictObject({
  temperature: v.optional(fraction(2)),
  topP: v.optional(fraction(1)),
  topK: v.optional(natural),
  candidateCount: v.optional(v.literal(1)),
  maxOutputTokens: v.optional(natural),
  stopSequences: v.optional(v.pipe(v.array(text), v.maxLength(max.stops))),
  seed: v.optional(whole),
  presencePenalty: v.optional(penalty),
  frequencyPenalty: v.optional(penalty),
  responseMimeType: v.optional(v.picklist(['text/plain', 'application/json'])),
  responseSchema: v.optional(object),
  responseJsonSchema: v.optional(object),
  thinkingConfig: v.optional(thinking),
})

const fields = {
  contents: several(
    v.strictObject({ role: v.optional(v.picklist(['user', 'model'])), parts: several(part, max.parts) }),
    max.messages,
  ),
  systemInstruction: v.optional(
    v.strictObject({ role: v.optional(text), parts: several(v.strictObject({ text }), max.parts) }),
  ),
  tools: v.optional(
    v.pipe(
      v.array(v.strictObject({ functionDeclarations: v.pipe(v.array(declaration), v.maxLength(max.tools)) })),
      v.maxLength(max.tools),
    ),
  ),
  toolConfig: v.optional(
    v.strictObject({
      functionCallingConfig: v.optional(
        v.strictObject({
          mode: v.optional(v.picklist(['AUTO', 'ANY', 'NONE', 'VALIDATED'])),
          allowedFunctionNames: v.optional(v.pipe(v.array(name), v.maxLength(max.tools))),
        }),
      ),
    }),
  ),
  generationConfig: v.optional(generationConfig),
}

/** A whole request. Its path contains the model. */
export const geminiRequest: v.GenericSchema = v.strictObject(fields)

/** A request for a count, in either of its two forms. */
export const geminiCount: v.GenericSchema = v.union([
  v.strictObject({ contents: fields.contents }),
  v.strictObject({ generateContentRequest: v.strictObject({ model: text, ...fields }) }),
])
