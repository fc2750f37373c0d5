/** Which client meets which provider. */
import { inTurn } from './cuts.ts'

/**
 * The pairs that a file tries: every pair in the project `exhaustive`; otherwise a third of them, which has each client and each provider. A
 * gateway translates by way of the neutral model, where a client never meets a provider: so what a pair can do, its client and its provider
 * can do. Files with the same lists and the turns 0, 1 and 2 try each pair once between them.
 */
export function pairsOf<Client, Provider>(
  clients: readonly Client[],
  providers: readonly Provider[],
  turn: 0 | 1 | 2,
): [Client, Provider][] {
  return clients.flatMap((client, row) =>
    inTurn(providers, 3, turn + 2 * row).map((provider): [Client, Provider] => [client, provider]),
  )
}
