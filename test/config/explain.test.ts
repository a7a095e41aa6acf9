import t from 'tap'
import { withAdmin } from '../../config/admin/client.ts'
import { adviceOn } from '../../config/explain/advice.ts'
import { duration, wrapped } from '../../config/explain/lines.ts'
import { checkRequestId } from '../../config/explain/request-id.ts'
import { storyOf, type ExplainedRecord } from '../../config/explain/story.ts'
import { failureReasons } from '../../core/contracts/failure-reason.ts'
import { testRecord } from '../../core/testing/index.ts'
import { recordObject } from '../../plugins/endpoints/admin/record-object.ts'

const policy = Object.fromEntries(
  ['zdr', 'logging', 'hipaa', 'redaction'].map(field => [field, { value: field === 'zdr', source: field === 'zdr' ? 'org' : 'key' }]),
)

function shown(members: object): ExplainedRecord {
  return recordObject(testRecord({ id: 'req_1', elapsedMs: 4_210, keyId: 'k7f3', org: 'example', ...members } as never)) as never
}

const failed = shown({
  status: 424,
  stream: true,
  kind: 'generation',
  surface: 'responses',
  requestedModel: 'auto',
  policy,
  errorCode: 'provider_error',
  errorMessage: 'The provider "beta" failed: …',
  reason: 'vendor',
  creditWaitMs: 1_200,
  heldUsd: 0.05,
  attempts: [
    { provider: 'acme', model: 'large', outcome: 'timeout', status: null, startedMs: 0, elapsedMs: 2_000 },
    {
      provider: 'beta',
      model: 'large',
      outcome: 'overloaded',
      status: 529,
      startedMs: 2_210,
      elapsedMs: 2_000,
      firstEventMs: 1_000,
      queuedMs: 10,
      waitedMs: 200,
      vendorCode: 'overloaded_error',
      requestId: 'req-7c1',
    },
  ],
  routing: {
    sort: 'performance',
    modelSort: 'performance',
    intervalMs: 900_000,
    preferred: 'affinity',
    candidates: [
      { provider: 'acme', model: 'large', value: 1.32, passedOver: null },
      { provider: 'beta', model: 'large', value: null, passedOver: null },
      { provider: 'gamma', model: 'large', value: null, passedOver: 'circuit' },
    ],
    passedOver: { circuit: 1, permission: 3 },
  },
  notes: [{ kind: 'guardrail', summary: { name: 'words', outcome: 'refused' } }],
})

t.test('the story of a failed request', async t => {
  t.same(storyOf(failed, 'night', 110).join('\n').split('\n'), [
    'req_1  2026-01-01T00:00:00.000Z',
    'POST /v1/responses (responses) failed with 424 provider_error after 4.21 s.',
    '',
    'Asked      auto, generation, streamed',
    '           by key night (k7f3), organization example',
    'Policy     zdr on (org), logging off (key), hipaa off (key), redaction off (key)',
    'Plan       sorted by performance over 15 min; first because of affinity',
    '           1. acme/large  1.32',
    '           2. beta/large',
    '           -  gamma/large  passed over: its circuit is open',
    '           passed over in all: 1 × its circuit is open, 3 × the key does not allow it',
    'Attempts   waited 1.2 s for credit that other requests held',
    '           acme/large |-------------------                     | 2 s timeout',
    '           beta/large |                   ··---------==========| 2 s overloaded 529, overloaded_error',
    "             first event after 1 s, queued 10 ms, waited 200 ms after a failure, vendor's id req-7c1",
    'Notes      guardrail: name words, outcome refused',
    'Tokens     none',
    'Bill       nothing charged, 0.05 USD were held',
    '',
    'Failed by  the vendor',
    'Message    The provider "beta" failed: …',
    'Vendor     status 529, code overloaded_error, its id req-7c1',
    "To do      The attempts say what the vendors answered. Ask a vendor's support with its id of the request, or",
    '           add fallbacks.',
  ])
})

t.test('no line is wider than the terminal, and nothing controls it', async t => {
  for (const width of [40, 60, 80, 120])
    for (const record of [
      failed,
      shown({ requestedModel: `\u001b[31mred\u0007${'x'.repeat(300)}`, errorMessage: 'y'.repeat(200), status: 400 }),
    ])
      for (const line of storyOf(record, `\u001b]0;title\u0007${'n'.repeat(200)}`, width)) {
        t.ok(line.length <= width, `${width}: ${line}`)
        t.notMatch(line, /\p{Cc}/u)
      }
})

t.test('the story of an answered request, and of one from an earlier version', async t => {
  const usage = { uncachedInput: 800, cacheRead: 400, cacheWrite5m: 0, cacheWrite1h: 0, output: 300, reasoning: 20 }
  const answered = storyOf(
    shown({
      status: 200,
      usage,
      costUsd: 0.0123,
      firstEventMs: 250,
      answerId: 'resp_1',
      attempts: [{ provider: 'a', model: 'm', outcome: 'ok', status: null, elapsedMs: 40 }],
    }),
    undefined,
    100,
  ).join('\n')
  t.match(answered, /answered with 200 after 4\.21 s, the first event after 250 ms\./)
  t.match(answered, /Tokens +1200 in \(400 cached\), 300 out \(20 reasoning\)\nBill +0\.0123 USD/)
  t.match(answered, /Attempts +a\/m 40 ms ok\n/, 'without a bar: nobody measured when it began')
  t.notMatch(answered, 'To do')
  const old = storyOf(shown({ status: 500, errorCode: 'server_error' }), undefined, 100).join('\n')
  t.match(old, /Failed by +unknown\n/)
  t.match(old, /This record is from a version that kept no reasons\./)
  t.match(
    storyOf(shown({ status: 429, reason: 'limit', reasonLevel: 'key' }), undefined, 100).join('\n'),
    /Failed by +a limit of the key k7f3\n/,
  )
})

t.test('there is advice on every reason', async t => {
  for (const reason of failureReasons)
    for (const level of [null, 'key', 'org'] as const) t.match(adviceOn({ ...failed, reason, reason_level: level }), /\.$/)
  t.match(adviceOn({ ...failed, reason: 'cap', reason_level: 'org' }), /turnpike orgs update example --spend-cap/)
})

t.test('times and texts', async t => {
  t.same([0, 12.345, 999.6, 4_210, 59_960, 60_000, 125_000].map(duration), [
    '0 ms',
    '12.3 ms',
    '1000 ms',
    '4.21 s',
    '1 min',
    '1 min',
    '2 min 5 s',
  ])
  t.same(wrapped('one two three', 7), ['one two', 'three'])
  t.same(wrapped('', 7), [])
})

t.test('explain refuses text that cannot be a request id', async t => {
  for (const id of ['req_01a21d5cb4dd', 'resp_1-b', 'chatcmpl-7.1', 'dec_1']) t.doesNotThrow(() => checkRequestId(id), id)
  for (const text of ['.', '..', '../keys', '"', 'a b', '%2e%2e', 'x'.repeat(201)])
    t.throws(
      () => checkRequestId(text),
      { message: /^This is not the id of a request\. Expected one such as req_0123456789, .*x-request-id\.$/ },
      text,
    )
  for (const text of ['x-request-id: req_1a', '"req_1a"', 'http://gateway.example.com/admin/v1/records/req_1a', 'req_1a '])
    t.throws(() => checkRequestId(text), { message: /Did you mean req_1a\?$/ }, text)
  t.throws(() => checkRequestId('tp_demo_key'), { message: /^This is a key or a token, not/ })
})

t.test('an id that would change the path is refused', async t => {
  const before = process.env['GATEWAY_ADMIN_TOKEN']
  process.env['GATEWAY_ADMIN_TOKEN'] = 'demo-admin-token-of-at-least-32-characters'
  t.teardown(() => {
    if (before === undefined) delete process.env['GATEWAY_ADMIN_TOKEN']
    else process.env['GATEWAY_ADMIN_TOKEN'] = before
  })
  await withAdmin({ url: 'http://127.0.0.1:1' }, async client => {
    for (const id of ['.', '..'])
      for (const path of [`/records/${id}`, `/alerts/${id}/acknowledge`, `/keys/${id}?limit=1`])
        await t.rejects(client.call('GET', path), { message: `Expected an id or a name, got ${id}` }, path)
    await t.rejects(client.call('GET', '/records/req_1..'), { message: /does not answer/ })
  })
})
