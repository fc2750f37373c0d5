/** The formats of a gateway, by name. */
import type { GatewayFormat } from '../../src/codec.ts'
import { allFormats, type WireName } from '../../src/gateway/index.ts'

export const formatsByName = Object.fromEntries(allFormats.map((format) => [format.name, format])) as Readonly<
  Record<WireName, GatewayFormat>
>
