/** The wires on the provider's side: a binary one is not among them. */
import type { TestWire } from '../formats/server.ts'
import { servers } from '../formats/servers.ts'

export type { TestWire, WrittenCall } from '../formats/server.ts'

export const wires: readonly TestWire[] = Object.values(servers).flatMap(({ server }) => server ?? [])
