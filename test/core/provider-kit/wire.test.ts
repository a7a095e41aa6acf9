import t from 'tap'
import { isObject, parseJson } from '../../../core/index.ts'
import { ApiKeys, argumentsOf, failureKindOfStatus, frameJson, isJson, retiredModel, retryAfterMs } from '../../../core/kit.ts'

t.test('the failure kind of a bare status', async t => {
  const kinds = [400, 401, 402, 403, 404, 408, 418, 422, 429, 500, 502, 503, 504, 529, 599].map(failureKindOfStatus)
  const request = 'invalid-request'
  const client = [request, 'auth', 'quota', 'auth', 'not-found', 'timeout', request, request, 'rate-limit']
  t.strictSame(kinds, [...client, 'unavailable', 'unavailable', 'overloaded', 'timeout', 'overloaded', 'unavailable'])
  const others = [409, 410, 413, 421, 423, 424, 425, 451, 499, 524].map(failureKindOfStatus)
  const passing = ['unavailable', 'unavailable', 'unavailable', 'overloaded'] as const
  t.strictSame(others, ['unavailable', 'not-found', 'context-length', ...passing, 'refused', 'unavailable', 'timeout'])
})

t.test('a model that was taken out of service, by its code or in words', async t => {
  for (const words of [
    'model_decommissioned',
    'model_not_active',
    'model_not_available',
    'ServiceModelDeprecated',
    'The model `llama-3.1-demo` has been decommissioned and is no longer supported.',
    'The model grok-demo was deprecated on 2025-09-15 and is no longer accessible via the API.',
    'The model `text-demo-003` has been deprecated, learn more here',
    'This model models/gemini-demo is no longer available to new users.',
    'This model version has reached the end of its life.',
    'Access denied. This Model is marked by provider as Legacy and you have not been actively using it.',
    'Unable to access non-serverless model demo/demo-5.1.',
    'Model claude-demo-2.1 reached its end-of-life on July 21st',
    'The model demo was retired.',
  ])
    t.ok(retiredModel.test(words), words)
  for (const words of [
    'The parameter `functions` has been deprecated and is no longer supported.',
    'For this model the parameter top_k is no longer supported.',
    'This model does not support the tool web_search, which has been deprecated.',
    'The model is overloaded. Try again later.',
    'The model `demo` does not support image input.',
    'Model is not ready for inference.',
  ])
    t.notOk(retiredModel.test(words), words)
})

t.test('how long a vendor asks to be left alone', async t => {
  t.equal(retryAfterMs({ 'retry-after': '2' }), 2000)
  t.equal(retryAfterMs({ 'retry-after': '99999999999999999999' }), 86_400_000, 'a day at most')
  t.equal(retryAfterMs({ 'retry-after': ' 0.0301 ' }), 31)
  t.equal(retryAfterMs({ 'retry-after': '0' }), 0)
  t.equal(retryAfterMs({ 'retry-after-ms': '120.5', 'retry-after': '1' }), 121)
  t.equal(retryAfterMs({ 'retry-after-ms': '0', 'retry-after': '1' }), 1000, 'no milliseconds are no answer')
  const date = 'Wed, 21 Oct 2026 07:28:00 GMT'
  t.equal(retryAfterMs({ 'retry-after': 'Wed, 21 Oct 2026 07:28:07 GMT', date }), 7000)
  t.equal(retryAfterMs({ 'retry-after': date, date: 'Wed, 21 Oct 2026 07:28:07 GMT' }), 0)
  t.equal(retryAfterMs({ 'retry-after': date }), undefined, 'a date means nothing without the clock of who sent it')
  t.equal(retryAfterMs({ 'retry-after': '5, 10' }), 10_000, 'a proxy has joined two')
  for (const value of ['-5', '5, soon', '5 10', 'May 5'])
    t.equal(retryAfterMs({ 'retry-after': value, date }), undefined, `${value}, with a date`)
  for (const value of ['', 'soon', '-1', '1e3', '0x10', 'NaN', 'Infinity'])
    t.equal(retryAfterMs({ 'retry-after': value }), undefined, value)
  t.equal(retryAfterMs({}), undefined)
})

t.test('JSON, or what may be it', async t => {
  t.strictSame(parseJson('{"a":[1]}'), { a: [1] })
  t.strictSame([parseJson('null'), parseJson('{'), parseJson('')], [null, undefined, undefined])
  t.strictSame([isJson('null'), isJson('"a"'), isJson('{'), isJson('')], [true, true, false, false])
  t.strictSame([isObject({}), isObject([]), isObject(null), isObject('{}')], [true, false, false, false])
  t.strictSame(frameJson('[1]'), [1])
  t.throws(() => frameJson('<html>'), { name: 'ProviderFailure', kind: 'protocol', upstream: '<html>' })
})

t.test('arguments of calls for vendors that want an object', async t => {
  t.strictSame(argumentsOf('{"city":"Oslo"}'), { city: 'Oslo' })
  t.strictSame(argumentsOf(' \n'), {})
  for (const text of ['{"city":"Os', '[1]', 'null', '"Oslo"']) t.strictSame(argumentsOf(text), { arguments: text })
})

t.test('a key goes into its header', async t => {
  const keys = new ApiKeys('sk-demo-1')
  const request = { method: 'POST', url: 'https://api.example.com', headers: { accept: 'application/json' } } as const
  const { signal } = new AbortController()
  const id = keys.credentials![0]!.id
  t.match(await keys.authorizeBy('authorization')(request, id, signal), {
    headers: { accept: 'application/json', authorization: 'Bearer sk-demo-1' },
  })
  t.match(await keys.authorizeBy('x-api-key')(request, id, signal), { headers: { 'x-api-key': 'sk-demo-1' } })
  for (const [pasted, place, called] of [
    ['sk-…1', 4, ''],
    ['sk-demo\n', 8, ', a line break,'],
    [' sk-demo', 1, ''],
    ['“sk-demo”', 1, ''],
  ] as const)
    t.throws(() => new ApiKeys(['sk-demo-1', pasted]), {
      message: new RegExp(`^character ${place} of ${pasted.length} in the option apiKey${called} cannot`),
    })
  t.equal(await new ApiKeys(undefined).authorizeBy('x-api-key')(request, undefined, signal), request)
})
