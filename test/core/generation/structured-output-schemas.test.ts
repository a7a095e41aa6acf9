import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { FakeClock } from '../../kit/set-up.ts'
import { stop, text, type Answer } from '../../kit/stage.ts'
import { answering, formatOf, good, invoice } from './structured-output-stage.ts'

t.test('a schema that cannot be used is a 400, and the provider is not asked', async t => {
  let deep: object = { type: 'string' }
  for (let level = 0; level < 40; level++) deep = { properties: { a: deep } }
  const circles: Record<string, object> = { d30: {} }
  for (let index = 0; index < 30; index++) {
    const next = { $ref: `#/$defs/d${index + 1}` }
    circles[`d${index}`] = { allOf: [next, next, next, next] }
  }
  const cases: Record<string, readonly [schema: object, message: RegExp]> = {
    'not a schema': [{ type: 'objekt' }, /\/type/],
    'not a pattern': [{ pattern: '(' }, /[Rr]egular expression/],
    'a reference to another place': [{ $ref: 'https://example.com/schema.json' }, /resolve reference/],
    'a reference to nothing': [{ $ref: '#/$defs/nothing' }, /resolve reference/],
    'a reference to itself': [{ $ref: '#' }, /circular/],
    'references that multiply': [{ $defs: circles, $ref: '#/$defs/d0' }, /longer than 1000 ms/],
    'no JSON Schema': [{ $async: true, type: 'object' }, /\$async/],
    'too deep': [deep, /81 levels deep/],
    'too long': [{ enum: Array.from({ length: 20_000 }, (_, index) => `a value that is long ${index}`) }, /characters long/],
    'too many members': [{ enum: Array.from({ length: 25_000 }, (_, index) => index) }, /members and elements/],
    'too many patterns': [{ allOf: Array.from({ length: 600 }, () => ({ pattern: 'a' })) }, /600 patterns/],
    'a pattern too long': [{ patternProperties: { [`^${'a'.repeat(3_000)}`]: {} } }, /a pattern is 3001 characters long/],
  }
  const { under, calls, ask } = await answering('none', () => [text('{}'), stop])
  t.teardown(under.stop)
  for (const [name, [schema, message]] of Object.entries(cases))
    for (const stream of [false, true]) {
      const reply = await ask({ text: { format: formatOf(schema) }, stream })
      t.equal(reply.status, 400, name)
      t.match(reply.error, { type: 'invalid_request_error', param: 'text.format.schema', message }, name)
    }
  t.equal(calls.length, 0)
  const shapeless = await ask({ text: { format: { type: 'json_schema', name: 'demo', schema: false } } })
  t.match(shapeless.error, { param: 'text.format.schema' })
})

t.test('schemas of every draft, and odd ones', async t => {
  const draft7 = 'http://json-schema.org/draft-07/schema#'
  const cases: Record<string, readonly [schema: object, right: string, wrong: string]> = {
    'draft 7': [{ $schema: draft7, properties: { a: { items: [{ type: 'number' }] } } }, '{"a": [1]}', '{"a": ["b"]}'],
    '2019-09': [
      { $schema: 'https://json-schema.org/draft/2019-09/schema', dependentRequired: { a: ['b'] } },
      '{"a": 1, "b": 2}',
      '{"a": 1}',
    ],
    '2020-12': [
      { $schema: 'https://json-schema.org/draft/2020-12/schema', properties: { a: { prefixItems: [{ type: 'number' }] } } },
      '{"a": [1]}',
      '{"a": ["b"]}',
    ],
    'an older notation without a name': [{ properties: { a: { items: [{ type: 'number' }] } } }, '{"a": [1]}', '{"a": ["b"]}'],
    'an unknown name': [{ $schema: 'https://example.com/schema', required: ['a'] }, '{"a": 1}', '{}'],
    'unknown keywords': [{ required: ['a'], 'x-order': 1, example: {} }, '{"a": 1}', '{}'],
    'a recursive one': [
      { properties: { next: { $ref: '#' }, a: { type: 'number' } } },
      '{"next": {"next": {"a": 1}}}',
      '{"next": {"a": ""}}',
    ],
    'its own name': [
      { $id: 'https://example.com/own', $defs: { n: { type: 'number' } }, properties: { a: { $ref: 'https://example.com/own#/$defs/n' } } },
      '{"a": 1}',
      '{"a": ""}',
    ],
    'a giant enumeration': [
      { properties: { a: { enum: Array.from({ length: 10_000 }, (_, index) => `v${index}`) } } },
      '{"a": "v9999"}',
      '{"a": "v10000"}',
    ],
    'an old pattern': [{ properties: { a: { pattern: '^[\\w\\-]+$' } } }, '{"a": "b-c"}', '{"a": "!"}'],
    'an inherited name': [{ required: ['toString'] }, '{"toString": 1}', '{}'],
    'a format is not judged': [{ properties: { a: { type: 'string', format: 'email' } } }, '{"a": "no"}', '{"a": 1}'],
    'nothing fits': [{ properties: { a: false } }, '{}', '{"a": 1}'],
  }
  let answer = ''
  const { under, ask } = await answering('none', () => [text(answer), stop])
  t.teardown(under.stop)
  for (const [name, [schema, right, wrong]] of Object.entries(cases)) {
    const format = formatOf(schema)
    answer = right
    t.equal((await ask({ text: { format } })).status, 200, name)
    answer = wrong
    t.equal((await ask({ text: { format } })).status, 424, name)
  }
})

t.test('a pattern that never ends is stopped, and others need not wait for it', async t => {
  const slow = (title: string): object => formatOf({ title, properties: { a: { type: 'string', pattern: '^(a+)+$' } } })
  const endless = slow('a')
  const { under, calls, ask } = await answering('none', ({ request }) => {
    const bad = JSON.stringify(request).includes('(a+)+')
    return [text(bad ? JSON.stringify({ a: `${'a'.repeat(60)}!` }) : good), stop]
  })
  t.teardown(under.stop)
  // So that no thread has to start first.
  await Promise.all([ask({}), ask({})])
  const done: string[] = []
  const named = async (name: string, reply: Promise<Answer>): Promise<Answer> => {
    const answer = await reply
    done.push(name)
    return answer
  }
  const stopped = named('endless', ask({ text: { format: endless } }))
  const others = [1, 2, 3].map(() => named('other', ask({})))
  for (const { status } of await Promise.all(others)) t.equal(status, 200)
  const reply = await stopped
  t.same(done, ['other', 'other', 'other', 'endless'])
  t.equal(reply.status, 400)
  t.match(reply.error, { param: 'text.format.schema', message: /longer than 1000 ms/ })
  const together = await Promise.all(Array.from({ length: 6 }, (_, index) => ask({ text: { format: index < 5 ? slow('b') : invoice } })))
  t.same(
    together.map(({ status }) => status),
    [400, 400, 400, 400, 400, 200],
  )
  const asked = calls.length
  t.match((await ask({ text: { format: endless }, stream: true })).error, { message: /longer than 1000 ms/ })
  t.equal(calls.length, asked, 'a schema that was too slow is not tried again at once')
  t.equal((await ask({})).status, 200)
})

t.test('slow schemas of one key hold up no other key, and are not taken for a slow provider', async t => {
  const hostile = (title: string): object => formatOf({ title, properties: { a: { type: 'string', pattern: '^(a+)+$' } } })
  const bad = JSON.stringify({ a: `${'a'.repeat(60)}!` })
  const clock = new FakeClock()
  const limitMs = 10_000
  const timeouts = { totalMs: limitMs, firstEventMs: limitMs, betweenEventsMs: limitMs }
  const { under, calls, ask } = await answering(
    'none',
    ({ request }) => [text(JSON.stringify(request).includes('(a+)+') ? bad : good), stop],
    undefined,
    timeouts,
    clock,
  )
  t.teardown(under.stop)
  const other = await under.gateway.issueKey({ name: 'other' })
  let done = 0
  const slow = Array.from({ length: 8 }, async (_, index) => {
    const reply = await ask({ text: { format: hostile(`schema ${index}`) }, stream: index % 2 === 1 })
    done++
    return reply
  })
  while (calls.length + done < slow.length) await nextTurn()
  await nextTurn()
  clock.pass(limitMs)
  for (const stream of [true, false]) {
    const before = done
    t.equal((await ask({ stream }, other)).response.status, 'completed')
    // No machine checks more than four at once, and each of them makes room for this one.
    t.ok(done - before <= 4, `${done - before} slow schemas came first`)
  }
  for (const reply of await Promise.all(slow)) {
    const problem = { param: 'text.format.schema', message: /longer than 1000 ms/ }
    if (reply.status === 200) t.match(reply.response.error, { message: problem.message })
    else t.match([reply.status, reply.error], [400, problem])
  }
  const records = await under.recorded(slow.length + 2)
  t.same(
    [...new Set(records.flatMap(({ attempts }) => attempts.map(({ outcome }) => outcome)))].toSorted(),
    ['left', 'ok'],
    'the provider is not to blame',
  )
})

t.test('an answer longer than can be checked is refused', async t => {
  const piece = text(`"${'a'.repeat(1_000_000)}",`)
  const { under, ask } = await answering('none', () => [text('['), piece, piece, piece, piece, text('""]'), stop])
  t.teardown(under.stop)
  t.match((await ask({})).error, { message: /more than 4000000 characters/ })
  t.equal((await ask({ stream: true })).response.status, 'failed')
})
