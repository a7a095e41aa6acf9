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

/** Adds up rows of usage by provider: all requests to models. `whole` has how long they took, if that is asked for. */
export function measuredTogether(rows: readonly UsageRow[], whole: readonly UsageRow[]): readonly Measured[] {
  const p95Ms = whole[0]?.latency?.p95Ms ?? null
  const sum = rows.map(requestsIn).reduce((a, b) => ({ count: a.count + b.count, failed: a.failed + b.failed }), { count: 0, failed: 0 })
  return [{ subject: 'gateway', ...sum, p95Ms }]
}

/** Adds up the rows of usage by provider, or by provider and model. `only` has canonical names. */
export function measuredIn(
  rows: readonly UsageRow[],
  { of, only }: Pick<AlertThreshold, 'of' | 'only'>,
  isListed: IsListed,
): readonly Measured[] {
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

/** Requests that the caller or the policy spoiled say nothing, nor do those that are not about a model, as for a list, unless they failed. */
function requestsIn({ group, requests, errorsBy }: UsageRow): Pick<Measured, 'count' | 'failed'> {
  if (!errorsBy) return { count: 0, failed: 0 }
  const { caller, policy, vendor, gateway } = errorsBy
  const failed = vendor + gateway
  return { count: group?.provider === null ? failed : requests - caller - policy, failed }
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
