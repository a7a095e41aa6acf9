import type { AttemptRecord, LogSink } from '../../contracts/log-sink.ts'
import type { RecordStore } from '../../contracts/record-store.ts'
import type { Maybe } from '../../runtime/pending.ts'
import { record } from './example-record.ts'
import type { Closing } from './on-each-store.ts'

/** A record store under test, without records, and the log sink that fills it. The store shows a record once `write` has resolved. */
export interface RecordsUnderTest extends Closing {
  /** Empty at first. */
  readonly records: RecordStore
  /** The suite writes records to it. */
  readonly sink: LogSink
  /** Both again, as after a restart of the gateway. Undefined if records do not survive one. */
  reopen?(): Maybe<{ readonly records: RecordStore; readonly sink: LogSink }>
}

/** The members of a record without an attempt. */
const unasked = { model: null, provider: null, attempts: [], usage: null, costUsd: null } as const

export const content = { request: { input: 'naïve \u0000 “text” \ud800' }, response: { output: [] }, kept: { demo: { a: 'naïve' } } }

const attempt: AttemptRecord = {
  provider: 'acme',
  model: 'demo',
  outcome: 'ok',
  status: 200,
  elapsedMs: 11,
  firstEventMs: 2.5,
  queuedMs: 1,
  waitedMs: 0.25,
  vendorCode: 'slow_down',
  requestId: 'req-7',
}

export const examples = [
  record(0, {
    errorMessage: 'The provider "acme" broke off “…”.',
    errorParam: 'input[0].…',
    reason: 'cap',
    reasonLevel: 'team',
    firstEventMs: 3.125,
    creditWaitMs: 0.5,
    inputTokens: 18,
    outputTokens: 20,
    attempts: [attempt],
  }),
  record(1, { ...unasked, status: 429, errorCode: 'rate_limit_exceeded', answerId: null }),
  record(2, { keyId: 'key_2', org: 'another', team: 'research', user: null, costUsd: 0.5 }),
  record(3, { ...unasked, keyId: null, org: null, user: null, owner: null, status: 401, policy: null }),
  record(60, { requestedModel: 'a\u0000b \ud800', costUsd: null, ...content }),
  record(61),
]

/** In two batches. */
export async function writeExamples({ sink }: RecordsUnderTest): Promise<void> {
  await sink.write(examples.slice(0, 5))
  await sink.write(examples.slice(5))
}
