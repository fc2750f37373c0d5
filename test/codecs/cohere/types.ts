/** Encoded requests and answers have the types of the official client: checked by the compiler, and never run. */
import type { Cohere } from 'cohere-ai'
import type { WireCitation, WireImage, WireRequest, WireText, WireThinking } from '../../../src/formats/cohere/wire.ts'

/** The client has each name in camel case. */
type Camel<T> = T extends readonly (infer I)[]
  ? Camel<I>[]
  : T extends object
    ? { [K in keyof T as K extends string ? CamelName<K> : K]: Camel<T[K]> }
    : T
type CamelName<K extends string> = K extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelName<Tail>>}` : K

/** The options beside the conversation. Its enums are words, and numbers are numbers. */
type Options = Omit<WireRequest, 'messages' | 'documents' | 'tools' | 'stream' | 'response_format'>

export const options: (wire: Camel<Options>) => Partial<Cohere.V2ChatRequest> = (wire) => wire
export const userPart: (wire: Camel<WireText | WireImage>) => Cohere.Content = (wire) => wire
export const assistantPart: (wire: Camel<WireText | WireThinking>) => Cohere.AssistantMessageV2ContentOneItem = (
  wire,
) => wire
export const citation: (wire: Pick<WireCitation, 'start' | 'end' | 'text'>) => Cohere.Citation = (wire) => wire
