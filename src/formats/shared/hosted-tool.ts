/**
 * Types of tools that a provider runs, for all formats.
 *
 * @module
 */
import type { JsonObject, ProviderTool } from '../../core/messages.ts'

/** A {@link ProviderTool} whose value is known. The functions that make them are in the path of its format, such as `isoglot/anthropic`. */
export interface HostedTool<Format extends string, Value extends JsonObject> extends ProviderTool {
  readonly format: Format
  /** The value that is sent, unchanged. */
  readonly value: Value
}

/** The approximate location of the user. A search answers for that place. */
export type UserLocation = {
  readonly city?: string
  /** Such as `California`. */
  readonly region?: string
  /** Two letters of ISO 3166-1, such as `US`. */
  readonly country?: string
  /** A name of the IANA, such as `America/Los_Angeles`. */
  readonly timezone?: string
}
