import type { RequestRecord } from '../../contracts/log-sink.ts'
import { testRecord } from '../test-record.ts'

/** The time of the first example. */
export const at = Date.UTC(2026, 0, 1, 12, 30)
export const minuteMs = 60_000
export const hourMs = 3_600_000
export const dayMs = 86_400_000

/** A record of the minute `index`. */
export function record(index: number, members: Partial<RequestRecord> = {}): RequestRecord {
  return testRecord({
    id: `req_${String(index).padStart(6, '0')}`,
    answerId: `resp_${index}`,
    at: at + index * 60_000,
    elapsedMs: 12.345,
    keyId: 'key_1',
    org: 'example',
    user: 'ada',
    owner: 'example/user/ada',
    stream: true,
    requestedModel: 'auto',
    model: 'demo',
    provider: 'acme',
    attempts: [{ provider: 'acme', model: 'demo', outcome: 'ok', status: 200, elapsedMs: 11 }],
    usage: { uncachedInput: 10, cacheRead: 5, cacheWrite5m: 1, cacheWrite1h: 2, output: 20, reasoning: 3, webSearches: 0 } as never,
    costUsd: 0.001,
    policy: { zdr: { value: false, source: 'key' } } as never,
    notes: [{ kind: 'demo', summary: { count: 1 } }],
    ...members,
  })
}
