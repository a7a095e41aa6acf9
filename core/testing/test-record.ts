import type { RequestRecord } from '../contracts/log-sink.ts'
import { recordFields, type RecordFacts } from '../contracts/record-fields.ts'
import type { Field } from '../contracts/fields.ts'

/** A record for tests of log sinks and stores. Members that may be missing are null unless they are given. */
export function testRecord(members: Partial<RequestRecord> = {}): RequestRecord {
  return {
    ...(nothing as unknown as RecordFacts),
    id: 'req_test',
    at: Date.UTC(2026, 0, 1),
    method: 'POST',
    path: '/v1/responses',
    status: 200,
    elapsedMs: 1,
    stream: false,
    attempts: [],
    notes: [],
    request: null,
    response: null,
    ...members,
  }
}

/** In the order of the list. */
const nothing = Object.fromEntries(Object.entries<Field>(recordFields).flatMap(([name, { computed }]) => (computed ? [] : [[name, null]])))
