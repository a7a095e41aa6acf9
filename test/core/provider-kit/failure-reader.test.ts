import t from 'tap'
import { failureReader, firstText, membersOf, type VendorError } from '../../../core/kit.ts'

const { failureFrom, failureInside } = failureReader({
  errorIn(body): VendorError {
    const { error } = membersOf(body)
    const { message, type, status } = membersOf(error)
    return { message: firstText(error, message), type: firstText(type), ...(typeof status === 'number' && { status }), retryAfterMs: 5 }
  },
  kindOf: ({ type }, status) => (type === 'bad_key' ? 'auth' : status === 429 ? 'rate-limit' : 'unavailable'),
  imageCodes: [[/blurred/, 'image_parse_error']],
  messageOf: (message, kind) => (kind === 'rate-limit' ? `${message} Slow down.` : message),
  withoutKeys: text => text.replace('tp_demo_1', '[…]'),
})

t.test('reads what the vendor said', async t => {
  const body = '{"error":{"message":"The image is blurred.","type":"limit"}}'
  t.match(failureFrom(429, { 'retry-after': '2' }, body), {
    kind: 'rate-limit',
    message: 'The image is blurred. Slow down.',
    code: 'image_parse_error',
    status: 429,
    retryAfterMs: 2000,
    upstream: body,
  })
  t.match(failureInside({ error: { message: 'Too many.', status: 429 } }), {
    kind: 'rate-limit',
    status: 429,
    retryAfterMs: 5,
    upstream: '{"error":{"message":"Too many.","status":429}}',
  })
})

t.test('explains what the vendor does not', async t => {
  t.equal(failureFrom(502, {}, '<html>').message, 'The provider answered with status 502.')
  t.equal(failureInside(null).message, 'The provider broke off its reply.')
  t.equal(failureInside({ error: { type: 'overload' } }).message, 'The provider broke off its reply (overload).')
})

t.test('removes keys from a failure of kind auth', async t => {
  const failure = failureFrom(401, {}, '{"error":{"message":"tp_demo_1 is wrong.","type":"bad_key"}}')
  t.equal(failure.message, '[…] is wrong.')
  t.notMatch(failure.upstream ?? '', /tp_demo_1/)
})
