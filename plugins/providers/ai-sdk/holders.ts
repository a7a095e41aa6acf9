import type { ProviderCall } from '../../../core/index.ts'

const holders = new WeakMap<AbortSignal, ProviderCall['holds']>()

/** Packages pass only a call's signal to `fetch`, so the signal identifies the call. */
export function holding({ signal, holds }: ProviderCall): void {
  holders.set(signal, holds)
}

/** Returns undefined for a request outside a call. */
export function holdsOf(signal: AbortSignal | null | undefined): ProviderCall['holds'] {
  return signal ? holders.get(signal) : undefined
}
