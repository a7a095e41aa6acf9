import type { ProviderCall } from '../../../core/index.ts'

const holders = new WeakMap<AbortSignal, ProviderCall['holds']>()

/** Packages hand a call's signal on to `fetch`, and nothing else of it: by the signal `fetch` finds whose reply it reads. */
export function holding({ signal, holds }: ProviderCall): void {
  holders.set(signal, holds)
}

/** Undefined for a request that belongs to no call. */
export function holdsOf(signal: AbortSignal | null | undefined): ProviderCall['holds'] {
  return signal ? holders.get(signal) : undefined
}
