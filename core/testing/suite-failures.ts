import assert from 'node:assert/strict'
import type { UpstreamHeaders } from '../contracts/adapter.ts'
import { ProviderFailure, type FailureKind } from '../contracts/provider.ts'
import type { ProviderSuiteOptions } from './suite-example.ts'

/** The failure kinds that a status allows when the body adds nothing. */
const kinds: readonly (readonly [status: number, kinds: readonly FailureKind[]])[] = [
  [400, ['invalid-request']],
  [401, ['auth']],
  [404, ['not-found']],
  [409, ['unavailable', 'overloaded']],
  [410, ['not-found']],
  [413, ['invalid-request', 'context-length']],
  [429, ['rate-limit', 'quota', 'overloaded']],
  [500, ['unavailable', 'overloaded']],
  [502, ['unavailable', 'overloaded']],
  [503, ['unavailable', 'overloaded']],
  [504, ['unavailable', 'overloaded', 'timeout']],
]

const anyBodies = [
  '',
  'Bad gateway',
  '<html></html>',
  'null',
  '[]',
  '[{}]',
  '{}',
  '"text"',
  '{"error":null}',
  '{"error":"text"}',
  '{"error":{"message":7}}',
  '{"message":{}}',
  '{"detail":[{}]}',
]

export function tellsFailures({ adapter, failures = [], secrets = [] }: ProviderSuiteOptions): void {
  const check = (status: number, headers: UpstreamHeaders, body: string, allowed: readonly FailureKind[]): ProviderFailure => {
    const what = `status ${status} with the body ${body || '(empty)'}`
    const failure = adapter.failure(status, headers, body)
    assert.ok(ProviderFailure.is(failure), `${what} must become a ProviderFailure`)
    assert.ok(allowed.includes(failure.kind), `${what} is ${failure.kind}; expected ${allowed.join(' or ')}`)
    assert.equal(failure.status, status, `${what} must keep its status`)
    assert.ok(typeof failure.message === 'string' && failure.message !== '', `${what} has no message`)
    for (const secret of secrets) assert.ok(!failure.message.includes(secret), `${what} must not reveal a secret`)
    return failure
  }
  for (const [status, allowed] of kinds) for (const body of anyBodies) check(status, {}, body, allowed)
  for (const { status, headers = {}, body, kind } of failures) check(status, headers, body, [kind])
  const limited = check(429, { 'retry-after': '7' }, '', ['rate-limit', 'overloaded'])
  assert.equal(limited.retryAfterMs, 7000, 'the retry-after header must be read')
}
