import type { AlertThreshold } from '../contracts/alert-rules.ts'
import type { UsageRow } from '../contracts/record-store.ts'

/** Requests of the gateway, or attempts at one provider or model, in the window of a threshold. */
export interface Measured {
  /** `gateway`, `provider:<id>` or `model:<provider>/<model>`. */
  readonly subject: string
  /** Those whose outcome says something about the gateway and its vendors. */
  readonly count: number
  readonly failed: number
  readonly p95Ms: number | null
}

/** The models that catalogs list have names; callers may have made up the others. */
type IsListed = (provider: string, model: string) => boolean

/** Adds up the rows of a usage query that was grouped for this threshold. */
export function measuredIn(rows: readonly UsageRow[], { of, only }: AlertThreshold, isListed: IsListed): readonly Measured[] {
  if (of === 'gateway') return rows.flatMap(requestsIn)
  const measured = new Map<string, Measured>()
  for (const row of rows) {
    const { provider, model } = row.group ?? {}
    if (provider === undefined || provider === null || (of === 'models' && (model === undefined || model === null))) continue
    const name = of === 'providers' ? provider : `${provider}/${isListed(provider, model!) ? model! : 'other'}`
    if (only && !only.includes(name)) continue
    const subject = of === 'providers' ? `provider:${name}` : `model:${name}`
    measured.set(subject, together(measured.get(subject), { subject, ...attemptsIn(row) }))
  }
  return [...measured.values()]
}

/** Requests that the caller or the policy spoiled say nothing. */
function requestsIn({ requests, errorsBy, latency }: UsageRow): readonly Measured[] {
  if (!errorsBy) return []
  const { caller, policy, vendor, gateway } = errorsBy
  return [{ subject: 'gateway', count: requests - caller - policy, failed: vendor + gateway, p95Ms: latency?.p95Ms ?? null }]
}

function attemptsIn({ attempts, failedAttempts, faults, attemptLatency }: UsageRow): Omit<Measured, 'subject'> {
  // Failures that are not the vendor's fault say nothing of it.
  const count = (attempts ?? 0) - (failedAttempts ?? 0) + (faults ?? 0)
  return { count, failed: faults ?? 0, p95Ms: attemptLatency?.p95Ms ?? null }
}

/** Only models without a name are ever several. */
function together(a: Measured | undefined, b: Measured): Measured {
  if (!a) return b
  const times = [a.p95Ms, b.p95Ms].filter(ms => ms !== null)
  return { subject: a.subject, count: a.count + b.count, failed: a.failed + b.failed, p95Ms: times.length > 0 ? Math.max(...times) : null }
}
