import type { ProviderCall } from '../../../core/index.ts'

const holders = new WeakMap<AbortSignal, ProviderCall['holds']>()

/** Packages pass only a call's signal to `fetch`, so the signal identifies the call. */
export function holding({ signal, holds }: ProviderCall): void {
  holders.set(signal, holds)
}

/** The call that a request belongs to, if any. */
export function holdsOf(signal: AbortSignal | null | undefined): ProviderCall['holds'] {
  return signal ? holders.get(signal) : undefined
}
