import { KeyStore } from '../contracts/key-store.ts'
import { Ledger } from '../contracts/ledger.ts'
import { MetricStore } from '../contracts/metric-store.ts'
import { RateLimiter } from '../contracts/rate-limiter.ts'
import { ResponseStore } from '../contracts/response-store.ts'
import { Sealer } from '../contracts/sealer.ts'
import { AssemblyError } from '../foundation/errors.ts'
import { nameOf, type Token } from '../foundation/token.ts'
import type { Container } from './container.ts'

const requiredServices: readonly Token<unknown>[] = [KeyStore, Sealer, Ledger, RateLimiter, ResponseStore, MetricStore]

/** Throws if plugins do not provide every service that a gateway needs. */
export function checkServices(container: Container): void {
  const missing = requiredServices.filter(service => !container.has(service)).map(nameOf)
  if (missing.length > 0)
    throw new AssemblyError(
      `No plugin provides ${missing.join(', ')}. Add plugins that do: ...defaults() has them all, or memory({}) and localSealer({}).`,
    )
}
