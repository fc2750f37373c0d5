/** The official clients, each doing the same things in its own way. */
import type { Client } from '../formats/client.ts'
import { facts } from '../formats/index.ts'
import { type WireName, wireNames } from './provider.ts'

export type { Client, Conversation, Place, Turn, Wish } from '../formats/client.ts'

const found = await Promise.all(wireNames.map(async (name) => [name, (await facts[name].client()).client] as const))

export const clients = Object.fromEntries(found) as Readonly<Record<WireName, Client>>
