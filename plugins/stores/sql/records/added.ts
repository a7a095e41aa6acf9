import { errorCauses, recordedUsage, type NamedModels, type RecordFacts } from '../../../../core/stores.ts'
import { storableText } from '../storable-text.ts'
import { durationBucket } from './durations.ts'

const dayMs = 86_400_000
/**
 * Charts of months are drawn from days, which are also added up without keys, and without models. Quarters of an hour are for days of time
 * zones such as +5:45.
 */
export const rollUpMs = { minute: 60_000, quarter: 900_000, hour: 3_600_000, day: dayMs, 'day-models': dayMs, 'day-keys': dayMs } as const

/** There are many sessions: their sums are kept by these lengths only. */
export const sessionRollUpMs = { quarter: rollUpMs.quarter, day: rollUpMs.day } as const

export const usageKey = ['bucket', 'at', 'org', 'team', 'key_id', 'model', 'provider'] as const
export const sessionKey = ['session', ...usageKey] as const
/** The sums that every row has. */
const oldSums = ['requests', 'errors', 'input_tokens', 'cached_tokens', 'output_tokens', 'cost', 'unpriced'] as const
/** The sums that are null in rows of a version that did not count them. */
export const laterSums = [
  'caller_errors',
  'policy_errors',
  'vendor_errors',
  'gateway_errors',
  'attempts',
  'failed_attempts',
  'faults',
] as const
export const usageSums = [...oldSums, ...laterSums] as const
export const latencySums = ['answers', 'attempts'] as const

export function mayBeNull(sum: string): boolean {
  return (laterSums as readonly string[]).includes(sum)
}

export type Place = readonly [at: number, org: string, team: string, key: string, model: string, provider: string]
/** One record's share of the usage of one model at one provider. */
export type AddedUsage = readonly [...Place, ...sums: readonly number[]]
/** An answer, an attempt that succeeded, or both. */
export type AddedTime = readonly [...Place, duration: number, answers: number, attempts: number]

/** The same of a request that belongs to a session. */
export type AddedSession = readonly [session: string, ...AddedUsage]

export interface Added {
  readonly usage: AddedUsage[]
  readonly sessions: AddedSession[]
  readonly times: AddedTime[]
}

export function addedBy(records: readonly RecordFacts[], named: NamedModels): Added {
  const added: Added = { usage: [], sessions: [], times: [] }
  for (const record of records) addTo(added, record, named)
  return added
}

function addTo({ usage, sessions, times }: Added, record: RecordFacts, named: NamedModels): void {
  const { at, org, team, keyId, session } = record
  for (const part of recordedUsage(record, named.has)) {
    const { errorCause, answerMs, attemptsMs } = part
    const place: Place = [at, org ?? '', team ?? '', keyId ?? '', storableText(part.model ?? ''), part.provider ?? '']
    const sums: AddedUsage = [
      ...place,
      part.requests,
      Number(errorCause !== undefined),
      part.inputTokens,
      part.cachedTokens,
      part.outputTokens,
      Math.round(part.costUsd * 1e9),
      part.unpriced,
      ...errorCauses.map(cause => Number(cause === errorCause)),
      part.attempts,
      part.failedAttempts,
      part.faults,
    ]
    usage.push(sums)
    if (session !== null) sessions.push([storableText(session), ...sums])
    if (answerMs !== undefined) times.push([...place, durationBucket(answerMs), 1, 0])
    for (const ms of attemptsMs) times.push([...place, durationBucket(ms), 0, 1])
  }
}
