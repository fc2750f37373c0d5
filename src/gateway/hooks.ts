/** Calls the hooks and the observers of a gateway for each request. Their errors do not change the answer. @module */
import type { EndReport, GatewayAttempt, GatewayObserver, GatewayOptions, GatewayQuestion } from './types.ts'

type AboutRequest<Name extends keyof GatewayObserver> = Parameters<NonNullable<GatewayObserver[Name]>>[0]

/** Calls the observers of one request. */
export type Watch = <Name extends keyof GatewayObserver>(
  name: Name,
  about: Omit<AboutRequest<Name>, keyof GatewayQuestion>,
) => void

export function watchOf(question: GatewayQuestion, observers: readonly GatewayObserver[] = []): Watch {
  return (name, about) => {
    const details = { ...question, ...about }
    for (const observer of observers) {
      const call = async () => (observer[name] as ((about: object) => unknown) | undefined)?.(details)
      call().catch(() => {})
    }
  }
}

/** The current request to a provider. */
export type Asking = Pick<GatewayAttempt, 'attempt' | 'entry' | 'model'> & { readonly startedAt: number }

/** Reports the end of a request to `onUsage`, `onEnd` and the observers. */
export async function reportEnd(
  report: EndReport,
  { onUsage, onEnd }: Pick<GatewayOptions, 'onUsage' | 'onEnd'>,
  watch: Watch,
): Promise<void> {
  const { requestId, model, wire, caller, usage } = report
  watch('onEnd', { report })
  try {
    if (usage !== undefined && model !== undefined) await onUsage?.({ requestId, model, wire, caller, usage })
  } catch {
    // `onUsage` must handle its own errors.
  }
  try {
    await onEnd?.(report)
  } catch {
    // The answer has already ended.
  }
}
