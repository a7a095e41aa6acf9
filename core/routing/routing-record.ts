import type { Endpoint } from '../contracts/catalog.ts'
import type { OpenRecord, PassedOver, RoutedCandidate, RoutingRecord } from '../contracts/log-sink.ts'
import type { Warning } from '../contracts/route.ts'
import type { AskedSorts } from './order.ts'
import type { Precedent } from './precedence.ts'
import type { Ranked } from './ranking.ts'
import type { Selection } from './selection.ts'

const maxListed = 16

/** Endpoints in the order in which to try them, and the reasons for that order. */
export interface Choice {
  readonly selection: Selection
  readonly sorts: AskedSorts
  readonly intervalMs: number
  readonly ranked: readonly Ranked[]
  readonly precedent: Precedent | undefined
  /** The warnings of the sorts. */
  readonly warnings: readonly string[] | undefined
}

/** For the record of the request. `most`: how many endpoints to list. */
export function routingRecord(choice: Choice, most = maxListed): RoutingRecord {
  const { selection, sorts, intervalMs, ranked, precedent, warnings } = choice
  const candidates: RoutedCandidate[] = ranked.slice(0, most).map(routed)
  for (const { endpoint, reason } of selection.passedOver) {
    if (candidates.length >= most) break
    candidates.push(passed(endpoint, reason))
  }
  const passedOver: Partial<Record<PassedOver, number>> = {}
  for (const { reason } of selection.passedOver) passedOver[reason] = (passedOver[reason] ?? 0) + 1
  return {
    sort: sorts.endpoints?.name ?? null,
    modelSort: sorts.models?.name ?? null,
    intervalMs,
    preferred: precedent && precedent.index > 0 ? precedent.reason : null,
    candidates,
    passedOver,
    ...(warnings && { warnings }),
  }
}

/** The warnings of a request's sorts, for its caller. */
export function routingWarnings({ routing }: Pick<OpenRecord, 'routing'>): readonly Warning[] {
  return (routing?.warnings ?? []).map(message => ({ param: 'routing', message }))
}

/** Notes in the record why a candidate was not asked. A candidate that was asked before keeps its place. */
export function passOver(
  record: Pick<OpenRecord, 'routing' | 'attempts'>,
  endpoint: Pick<Endpoint, 'provider' | 'model'>,
  reason: PassedOver,
): void {
  const { routing, attempts } = record
  const is = ({ provider, model }: Pick<Endpoint, 'provider' | 'model'>): boolean =>
    provider === endpoint.provider && model === endpoint.model
  if (!routing || attempts.some(is)) return
  record.routing = {
    ...routing,
    candidates: routing.candidates.map(each => (is(each) ? { ...each, passedOver: reason } : each)),
    passedOver: { ...routing.passedOver, [reason]: (routing.passedOver[reason] ?? 0) + 1 },
  }
}

function routed({ endpoint: { provider, model }, value, modelValue }: Ranked): RoutedCandidate {
  return { provider, model, value: shown(value), ...(modelValue !== undefined && { modelValue: shown(modelValue) }), passedOver: null }
}

function passed({ provider, model }: Endpoint, passedOver: PassedOver): RoutedCandidate {
  return { provider, model, value: null, passedOver }
}

/** Six significant digits are enough, and JSON has no Infinity. */
function shown(value: number | undefined): number | null {
  return value === undefined || !Number.isFinite(value) ? null : Number(value.toPrecision(6))
}
