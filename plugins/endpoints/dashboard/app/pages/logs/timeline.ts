import { endpointName } from '../../endpoint-name.ts'
import type { Attempt, RequestRecord } from './record.ts'

/** A request over time. All times are milliseconds after its arrival. */
export interface Timeline {
  /** The time that the picture shows: all of the request, and a moment at least. */
  readonly totalMs: number
  readonly steps: readonly Step[]
  /** When the first event of the answer came. */
  readonly firstEventMs: number | null
}

/** Something that took time. Its parts follow one another. */
export interface Step {
  readonly name: string
  /** Undefined for the time around the attempts. */
  readonly attempt: Attempt | undefined
  /** True if another attempt ran meanwhile. */
  readonly isBeside: boolean
  readonly parts: readonly Part[]
}

export interface Part {
  readonly kind: PartKind
  readonly fromMs: number
  readonly toMs: number
}

/** `gateway`: its own work. `unknown`: between attempts, or after them. `first`: until the first event. */
export type PartKind = 'gateway' | 'credit' | 'backoff' | 'queue' | 'first' | 'answer' | 'failed' | 'dropped' | 'unknown'

/** A gap of less than this share of the whole is too short to be seen. */
const leastShare = 0.01

/** The steps in the order in which they began, with the time that no attempt explains. */
export function timelineOf(record: RequestRecord): Timeline {
  const { elapsed_ms: elapsedMs, attempts } = record
  const spans = spansOf(attempts)
  const endMs = Math.max(0, ...spans.map(({ toMs }) => toMs))
  const totalMs = Math.max(elapsedMs, endMs, 0.001)
  const steps = spans.map((span, index): Step => {
    const { attempt } = span
    return {
      name: endpointName(attempt.provider, attempt.model),
      attempt,
      isBeside: spans.some((other, at) => at !== index && partsOverlap(span, other)),
      parts: partsOf(span),
    }
  })
  const gaps = gapsIn(spans, totalMs, elapsedMs)
  const firstMs = spans.length > 0 ? Math.min(...spans.map(({ partsFrom }) => partsFrom)) : elapsedMs
  const all = [before(record, firstMs), ...steps, ...gaps]
  return {
    totalMs,
    steps: all.filter(({ parts }) => parts.length > 0).toSorted((a, b) => a.parts[0]!.fromMs - b.parts[0]!.fromMs),
    firstEventMs: firstEventOf(record, spans),
  }
}

/** When a step began. */
export function startOf({ parts }: Step): number {
  return parts.find(({ kind }) => !isWait(kind))?.fromMs ?? parts[0]!.fromMs
}

export function endOf({ parts }: Step): number {
  return parts.at(-1)!.toMs
}

export function isWait(kind: PartKind): boolean {
  return kind === 'credit' || kind === 'backoff' || kind === 'queue'
}

interface Span {
  readonly attempt: Attempt
  /** With its waits. */
  readonly partsFrom: number
  readonly fromMs: number
  readonly toMs: number
}

/** Without a recorded start, an attempt began when the one before had ended, except for those that raced. */
function spansOf(attempts: readonly Attempt[]): readonly Span[] {
  let end = 0
  return attempts.map((attempt): Span => {
    const { outcome, started_ms: startedMs, elapsed_ms: took, queued_ms: queuedMs = 0, waited_ms: waitedMs = 0 } = attempt
    const fromMs = Math.max(0, startedMs ?? (outcome === 'outrun' ? end - took : end))
    const toMs = fromMs + took
    end = Math.max(end, toMs)
    return { attempt, partsFrom: Math.max(0, fromMs - queuedMs - waitedMs), fromMs, toMs }
  })
}

function partsOverlap(a: Span, b: Span): boolean {
  return a.fromMs < b.toMs && b.fromMs < a.toMs
}

/** First the pause after a failure, then the wait for a place, then the attempt. */
function partsOf({ attempt, partsFrom, fromMs, toMs }: Span): readonly Part[] {
  const { outcome, queued_ms: queuedMs = 0, waited_ms: waitedMs = 0, first_event_ms: firstMs } = attempt
  const queuedFrom = waitedMs === 0 ? partsFrom : Math.max(partsFrom, fromMs - queuedMs)
  const kind = outcome === 'ok' ? 'answer' : outcome === 'outrun' || outcome === 'left' ? 'dropped' : 'failed'
  const spoken = firstMs === undefined ? fromMs : Math.min(toMs, fromMs + firstMs)
  const parts: readonly Part[] = [
    { kind: 'backoff', fromMs: partsFrom, toMs: queuedFrom },
    { kind: 'queue', fromMs: queuedFrom, toMs: fromMs },
    { kind: 'first', fromMs, toMs: spoken },
  ]
  return [...parts.filter(part => part.toMs > part.fromMs), { kind, fromMs: spoken, toMs }]
}

/** Limits, policy, guards on the input and the plan. The wait for credit is the last of it. */
function before(record: RequestRecord, untilMs: number): Step {
  const creditMs = Math.min(record.credit_wait_ms ?? 0, untilMs)
  const parts: readonly Part[] = [
    { kind: 'gateway', fromMs: 0, toMs: untilMs - creditMs },
    { kind: 'credit', fromMs: untilMs - creditMs, toMs: untilMs },
  ]
  const name = record.attempts.length > 0 ? 'Before the first attempt' : 'In the gateway'
  return { name, attempt: undefined, isBeside: false, parts: parts.filter(({ fromMs, toMs }) => toMs > fromMs) }
}

/** Tools that ran between two rounds, checks of the answer, storing it, and clients that read slowly. */
function gapsIn(spans: readonly Span[], totalMs: number, elapsedMs: number): readonly Step[] {
  const gaps: Step[] = []
  let coveredTo: number | undefined
  const add = (fromMs: number, toMs: number, name: string): void => {
    if (toMs - fromMs < totalMs * leastShare) return
    gaps.push({ name, attempt: undefined, isBeside: false, parts: [{ kind: 'unknown', fromMs, toMs }] })
  }
  for (const { partsFrom, toMs } of spans.toSorted((a, b) => a.partsFrom - b.partsFrom)) {
    if (coveredTo !== undefined) add(coveredTo, partsFrom, 'Between the attempts')
    coveredTo = Math.max(coveredTo ?? 0, toMs)
  }
  if (coveredTo !== undefined) add(coveredTo, elapsedMs, 'After the last attempt')
  return gaps
}

/** That of the answer, for records that have only the one of the attempt. */
function firstEventOf({ first_event_ms: recorded }: RequestRecord, spans: readonly Span[]): number | null {
  if (recorded !== undefined && recorded !== null) return recorded
  const first = spans.find(({ attempt }) => attempt.outcome === 'ok' && attempt.first_event_ms !== undefined)
  return first ? first.fromMs + first.attempt.first_event_ms! : null
}
