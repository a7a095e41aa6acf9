import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import t from 'tap'
import { chainQuery } from '../../../plugins/stores/sql/chain-query.ts'
import { openSqlite } from '../../../plugins/stores/sql/sqlite/open.ts'
import { WriteQueue } from '../../../plugins/stores/sql/write-queue.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { leanKey } from '../../../core/testing/stores/key-store-suite.ts'
import { message, response } from '../../../core/testing/stores/response-store-suite.ts'
import { bytesBeside, fileOf, lock, masterKey, openSql, run } from './sql.ts'

const dayMs = 24 * 60 * 60 * 1000
const canary = 'canary-0123456789abcdef'

t.test('responses survive a restart', async t => {
  const file = fileOf(t)
  const first = await openSql(file)
  const links = [response('a'), response('b', 'a')]
  for (const link of links) await first.responses.put('ada', link)
  await first.stop()

  const second = await openSql(file)
  t.teardown(second.stop)
  t.strictSame(await second.responses.get('ada', 'b'), links[1])
  t.equal((await second.responses.chain('ada', 'b'))?.length, 2)
  t.strictSame((await second.responses.items('ada', ['msg_a'])).get('msg_a'), links[0]!.input[0])
})

t.test('no file holds what was said, nor the key that seals it', async t => {
  const file = fileOf(t)
  const { responses, stop } = await openSql(file)
  const said = { ...response('a', undefined, canary), output: [message('msg_out', canary)], body: { id: 'a', text: canary } }
  await responses.put('ada', said)
  const written = bytesBeside(file)
  t.ok(written.length > 0 && written.includes('msg_out'), 'the log was read')
  t.notOk(written.includes(canary))
  t.strictSame(await responses.get('ada', 'a'), said)
  await stop()
  t.notOk(bytesBeside(file).includes(canary), 'nor after it was written back')
})

t.test('a damaged row counts as unknown, and the rest of its owner is there', async t => {
  const file = fileOf(t)
  const { responses, stop } = await openSql(file)
  t.teardown(stop)
  const store = async (): Promise<void> => {
    for (const id of ['a', 'b']) await responses.put('ada', response(id))
    await responses.put('ada', response('c', 'a'))
    await responses.put('bob', response('a'))
  }
  const flipped = (column: string): string =>
    `update response set ${column} = cast(substr(${column}, 1, length(${column}) - 20) || x'00' || substr(${column}, -19) as blob) where owner = 'ada' and id = 'a'`
  const other = (column: string, from: string, where: string): string =>
    `update response set ${column} = (select ${from} from response where ${where}) where owner = 'ada' and id = 'a'`
  const set = (assignment: string): string => `update response set ${assignment} where owner = 'ada' and id = 'a'`
  const damages = [
    flipped('conversation'),
    other('conversation', 'conversation', "owner = 'ada' and id = 'b'"),
    other('conversation', 'conversation', "owner = 'bob' and id = 'a'"),
    other('conversation', 'body', "owner = 'ada' and id = 'a'"),
    set("org = 'another'"),
    set("conversation = x''"),
    set("conversation = cast(x'02' || substr(conversation, 2) as blob)"),
    set('conversation = cast(substr(conversation, 1, length(conversation) - 1) as blob)'),
    set("conversation = '{not json'"),
    set('conversation = 7'),
    set("conversation = cast(x'01' || zeroblob(16) || substr(conversation, 18) as blob)"),
  ]
  for (const damage of damages) {
    await store()
    run(file, damage)
    t.equal(await responses.get('ada', 'a'), undefined, damage)
    t.equal(await responses.chain('ada', 'a'), undefined)
    t.equal(await responses.chain('ada', 'c'), undefined, 'what follows it')
    t.equal((await responses.items('ada', ['msg_a', 'msg_b'])).has('msg_a'), false)
    t.ok((await responses.items('ada', ['msg_a', 'msg_b'])).has('msg_b'))
    t.ok(await responses.get('ada', 'b'), 'others are there')
    t.ok(await responses.get('ada', 'c'))
    t.equal(await responses.delete('ada', 'a'), true, 'and it can be deleted')
  }
  for (const damage of [flipped('body'), set("body = 'text'"), set('body = conversation')]) {
    await store()
    run(file, damage)
    t.equal(await responses.get('ada', 'a'), undefined)
    t.equal((await responses.chain('ada', 'c'))?.length, 2, 'the conversation goes on without the body')
  }
})

t.test('a damaged data key loses what it sealed, and what comes next is kept', async t => {
  for (const damage of ["x''", "'text'", '7', 'zeroblob(93)', 'substr(sealed, 2)']) {
    const file = fileOf(t)
    const first = await openSql(file)
    await first.responses.put('ada', response('a'))
    await first.stop()
    run(file, `update data_key set sealed = ${damage}`)
    const damaged = await openSql(file)
    t.equal(await damaged.responses.get('ada', 'a'), undefined, damage)
    await damaged.responses.put('ada', response('c'))
    t.ok(await damaged.responses.get('ada', 'c'))
    await damaged.stop()
  }
})

t.test('each organization has a data key, and a new one when it is due', async t => {
  const file = fileOf(t)
  const clock = new FakeClock()
  const { responses, stop } = await openSql(file, { dataKeyDays: 30 }, clock)
  const keys = (): number => run(file, 'select id from data_key').length
  const put = (id: string, org = 'example'): Promise<void> => responses.put('ada', { ...response(id), org })
  await Promise.all(['a', 'b', 'c'].map(id => put(id)))
  t.equal(keys(), 1, 'one for all')
  await put('d', 'another')
  t.equal(keys(), 2)
  clock.pass(29 * dayMs)
  await put('e')
  t.equal(keys(), 2)
  clock.pass(1 * dayMs)
  await put('f')
  await put('g')
  t.equal(keys(), 3)
  await stop()

  const { responses: later, stop: stopLater } = await openSql(file, { dataKeyDays: 30 }, clock)
  t.teardown(stopLater)
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) t.ok(await later.get('ada', id), `${id} opens`)
  await later.put('ada', response('h'))
  t.equal(keys(), 3, 'the newest is used again')
  const ids = run(file, 'select distinct substr(hex(conversation), 3, 32) as id from response').map(({ id }) => String(id).toLowerCase())
  t.strictSame(
    ids.sort(),
    run(file, 'select id from data_key order by id').map(({ id }) => id),
    'envelopes name their key',
  )
})

t.test('a new master key seals data keys anew, after which the old one may be forgotten', async t => {
  const file = fileOf(t)
  const newKey = 'cd'.repeat(32)
  const first = await openSql(file)
  await first.responses.put('ada', response('a'))
  await first.stop()

  const rotated = await openSql(file, {}, new FakeClock(), { masterKey: newKey, previousKeys: [masterKey] })
  await rotated.responses.put('ada', response('b', 'a'))
  t.equal((await rotated.responses.chain('ada', 'b'))?.length, 2)
  await rotated.stop()

  const alone = await openSql(file, {}, new FakeClock(), { masterKey: newKey })
  t.teardown(alone.stop)
  t.equal((await alone.responses.chain('ada', 'b'))?.length, 2)
})

t.test('old responses are deleted where they are not to be kept for ever', async t => {
  const file = fileOf(t)
  // The clock of the database decides.
  const monthAgo = Date.now() - 30 * dayMs
  const hourMs = 3_600_000
  const clock = new FakeClock()
  const first = await openSql(file, {}, clock)
  for (let index = 0; index < 120; index++) await first.responses.put('ada', { ...response(`old${index}`), createdAt: monthAgo - hourMs })
  await first.responses.put('ada', { ...response('new', 'old0'), createdAt: monthAgo + hourMs })
  await first.stop()
  const count = (table: string): unknown => run(file, `select count(*) as count from ${table}`)[0]!['count']
  t.equal(count('response'), 121)

  const kept = await openSql(file, { keepResponsesDays: 31 }, clock)
  await kept.stop()
  t.equal(count('response'), 121)

  const sweeping = await openSql(file, { keepResponsesDays: 30 }, clock)
  while (count('response') !== 1) await new Promise(resolve => setImmediate(resolve))
  t.equal(count('response_item'), 1)
  t.ok(await sweeping.responses.get('ada', 'new'))
  t.equal(await sweeping.responses.chain('ada', 'new'), undefined)
  await sweeping.stop()
})

t.test('writes do not delay reads, and a late response is not stored', async t => {
  const file = fileOf(t)
  const clock = new FakeClock()
  const { keys, responses, stop } = await openSql(file, {}, clock)
  t.teardown(stop)
  await keys.add(leanKey)
  await keys.find('lean')
  await responses.put('ada', response('a'))
  const other = new DatabaseSync(file)
  t.teardown(() => other.close())
  other.exec("update api_key set disabled = 1 where id = 'lean'")
  await lock(other)
  const caller = new AbortController()
  const waiting = [responses.put('ada', response('b', 'a'), caller.signal), responses.put('ada', response('c'))]
  clock.pass(1_001)
  t.match(await keys.find('lean'), { disabled: true }, 'revoked by another process')
  t.match(await responses.get('ada', 'a'), { id: 'a' })
  t.match(await responses.chain('ada', 'a'), [{}])
  caller.abort(new Error('too late'))
  await t.rejects(waiting[0]!, { message: 'too late' })
  await t.rejects(responses.put('ada', response('d'), caller.signal), { message: 'too late' })
  other.exec('rollback')
  await waiting[1]
  await responses.put('ada', response('e'))
  const stored = run(file, 'select id from response order by id').map(({ id }) => id)
  t.strictSame(stored, ['a', 'c', 'e'])
  t.strictSame(run(file, "select * from response_item where response_id in ('b', 'd')"), [])
})

t.test('a response that the database refuses costs no other response', async t => {
  const file = fileOf(t)
  const { responses, stop } = await openSql(file)
  t.teardown(stop)
  run(file, "create trigger refuse before insert on response when new.id = 'r7' begin select raise(abort, 'refused'); end")
  const puts = Array.from({ length: 20 }, (_, index) => responses.put('ada', response(`r${index}`)))
  const outcomes = await Promise.allSettled(puts)
  t.strictSame(
    outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index] : [])),
    [7],
  )
  t.equal(run(file, 'select * from response').length, 19)
  t.equal(await responses.get('ada', 'r7'), undefined)
})

t.test('small responses do not wait behind large ones, nor one owner behind another', async t => {
  const queue = new WriteQueue<{ readonly owner: string; readonly bytes: number }>()
  const add = (owner: string, ...sizes: readonly number[]): void => sizes.forEach(bytes => queue.add({ owner, bytes }))
  add('ada', 3_000, 2_000, 10)
  add('bob', 700, 800)
  const taken: string[] = []
  const take = (): void => {
    const write = queue.next(Infinity)
    taken.push(write ? `${write.owner} ${write.bytes}` : 'none')
  }
  for (let index = 0; index < 4; index++) take()
  add('eve', 50)
  for (let index = 0; index < 3; index++) take()
  t.strictSame(taken, ['ada 10', 'bob 700', 'ada 2000', 'bob 800', 'eve 50', 'ada 3000', 'none'])
  t.ok(queue.isEmpty)
  const write = { owner: 'ada', bytes: 2 }
  queue.add(write)
  t.equal(queue.next(1), undefined, 'too large for the rest of a group')
  queue.remove(write)
  queue.remove(write)
  t.ok(queue.isEmpty)
})

t.test('a small response waits for no more than one large one, whoever they belong to', async t => {
  const { responses, stop } = await openSql(fileOf(t))
  t.teardown(stop)
  let stored = 0
  const large = Array.from({ length: 60 }, async (_, index) => {
    await responses.put(`owner ${index}`, response('large', undefined, 'x'.repeat(2 * 1024 * 1024)))
    stored++
  })
  await responses.put('ada', response('small'))
  t.ok(stored <= 1, `${stored} large ones were stored before it`)
  await Promise.all(large)
  t.ok(await responses.get('ada', 'small'))
  for (const index of [0, 59]) t.ok(await responses.get(`owner ${index}`, 'large'))
})

t.test('a large response that comes too late is not even sealed to its end', async t => {
  const file = fileOf(t)
  const { responses, stop } = await openSql(file)
  t.teardown(stop)
  const caller = new AbortController()
  const late = responses.put('ada', response('late', undefined, 'x'.repeat(20 * 1024 * 1024)), caller.signal)
  const waiting = responses.put('ada', response('next', undefined, 'x'.repeat(2 * 1024 * 1024)))
  caller.abort(new Error('too late'))
  await t.rejects(late, { message: 'too late' })
  await waiting
  t.strictSame(
    run(file, 'select id from response').map(({ id }) => id),
    ['next'],
  )
})

t.test('reads and deletes use an index', async t => {
  const file = fileOf(t)
  const { database } = await openSqlite(file)
  t.teardown(() => database.destroy())
  const plan = (statement: string, parameters: readonly SQLInputValue[] = []): readonly string[] =>
    run(file, `explain query plan ${statement}`, ...parameters).map(({ detail }) => String(detail))
  for (const statement of [
    'select * from response where created_at < 1 limit 50',
    "delete from response_item where owner = 'a' and response_id = 'b'",
    "select * from data_key where org = 'a' order by created_at desc limit 1",
    "select item_id from response_item where owner = 'a' and item_id in ('b', 'c')",
  ])
    for (const step of plan(statement)) t.match(step, /^SEARCH/, statement)
  const chain = chainQuery(database, 'ada', 'a').compile()
  for (const step of plan(chain.sql, chain.parameters as readonly SQLInputValue[]))
    if (step.includes(' response ')) t.match(step, /\(owner=\? AND id=\?\)/, 'a chain reads its own links only')
})
