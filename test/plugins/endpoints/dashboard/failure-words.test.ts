import t from 'tap'
import { adviceFor, failureTitle } from '../../../../plugins/endpoints/dashboard/app/pages/logs/advice.ts'
import { failureKinds, failureOf, type Failure } from '../../../../plugins/endpoints/dashboard/app/pages/logs/failure.ts'
import type { Attempt, RequestRecord } from '../../../../plugins/endpoints/dashboard/app/pages/logs/record.ts'

const overloaded: Attempt = { provider: 'north', model: 'echo', outcome: 'overloaded', status: 529, elapsed_ms: 3 }

function record(members: Partial<RequestRecord>): RequestRecord {
  const ids = { id: 'req_1', key: 'key_1', org: 'acme', team: 'research', user: 'ada' }
  return { ...ids, status: 200, elapsed_ms: 5, attempts: [], notes: [], error_code: null, policy: null, ...members } as RequestRecord
}

const kindOf = (members: Partial<RequestRecord>): string | undefined => {
  const found = failureOf(record(members))
  return found && [found.kind, found.level].filter(Boolean).join(' ')
}

t.test('what the record says of its failure counts', t => {
  t.equal(kindOf({ status: 402, reason: 'cap', reason_level: 'team' }), 'cap team')
  t.equal(kindOf({ status: 503, reason: 'guardrail', reason_level: null }), 'guardrail')
  t.equal(kindOf({ status: 200, reason: null }), undefined)
  t.end()
})

t.test('records of earlier versions are told by their status, code, notes and attempts', t => {
  const note = (level: string) => [{ kind: 'credit', summary: { level, held_usd: 0.4 } }]
  for (const [members, expected] of [
    [{ status: 400 }, 'request'],
    [{ status: 401 }, 'authentication'],
    [{ status: 402, notes: note('team') }, 'cap team'],
    [{ status: 402, notes: note('credit') }, 'credit org'],
    [{ status: 402 }, 'cap'],
    [{ status: 403 }, 'permission'],
    [{ status: 422 }, 'policy'],
    [{ status: 424, attempts: [overloaded] }, 'vendor'],
    [{ status: 429 }, 'limit'],
    [{ status: 429, attempts: [{ ...overloaded, outcome: 'rate-limit' }] }, 'vendor'],
    [{ status: 499 }, 'left'],
    [{ status: 500 }, 'gateway'],
    [{ status: 503 }, 'gateway'],
    [{ status: 503, attempts: [overloaded] }, 'vendor'],
    [{ status: 504 }, 'timeout'],
    [{ status: 200, error_code: 'provider_timeout' }, 'timeout'],
    [{ status: 200, error_code: 'provider_error' }, 'vendor'],
    [{ status: 424, reason: 'a later one' }, 'vendor'],
  ] as const)
    t.equal(kindOf(members as Partial<RequestRecord>), expected, JSON.stringify(members))
  t.end()
})

t.test('the vendor that failed last is quoted, unless it said nothing', t => {
  const vendor = (members: Partial<RequestRecord>) => failureOf(record({ status: 424, ...members }))!.vendor
  t.same(vendor({ attempts: [overloaded] }), { provider: 'north', status: 529, code: null, requestId: null })
  t.same(
    vendor({
      attempts: [
        { ...overloaded, vendor_code: 'overloaded_error', request_id: 'req_v' },
        { ...overloaded, outcome: 'outrun' },
      ],
    }),
    {
      provider: 'north',
      status: 529,
      code: 'overloaded_error',
      requestId: 'req_v',
    },
  )
  t.equal(vendor({ attempts: [{ ...overloaded, outcome: 'network', status: null }] }), undefined)
  t.end()
})

t.test('every class has a title, something to do, and links to what it names', t => {
  for (const kind of failureKinds)
    for (const level of [undefined, 'org', 'team', 'user', 'key'] as const)
      for (const attempt of [undefined, overloaded, { ...overloaded, outcome: 'auth' }]) {
        const failure: Failure = { kind, level, attempt, vendor: undefined }
        const advice = adviceFor(record({ status: 400 }), failure)
        t.notMatch(failureTitle(failure), /undefined|\.$/, kind)
        t.ok(advice.length > 0 && advice.every(({ text }) => /\.$|: it has the cause\.$/.test(text)), kind)
        for (const { link } of advice) t.notMatch(link?.href ?? '', /undefined|null/)
      }
  const cap: Failure = { kind: 'cap', level: 'team', attempt: undefined, vendor: undefined }
  t.equal(adviceFor(record({}), cap)[0]!.link!.href, 'accounts?level=team&id=research&org=acme')
  t.equal(adviceFor(record({ team: null }), cap)[0]!.link!.href, 'keys?id=key_1')
  t.equal(adviceFor(record({ key: null, team: null }), cap)[0]!.link, undefined)
  t.end()
})
