import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import t, { type Test } from 'tap'
import { askProcess as ask, config, keyOf, Workplace, type TurnpikeProcess } from '../kit/turnpike-process.ts'
import { fill } from '../plugins/stores/filled-database.ts'
import { noPostgres, startPostgres } from '../plugins/stores/postgres-server.ts'
import { masterKey } from '../plugins/stores/sql.ts'

const adminToken = 'demo-admin-token-of-at-least-32-characters'
/** In the URLs of the test server. */
const password = 'open-sesame-secret'

function workplaceOf(t: Test): Workplace {
  const workplace = new Workplace(config('admin: { port: 0 }'))
  t.teardown(() => workplace.remove())
  return workplace
}

t.test('a gateway moves from SQLite to Postgres, and back', { skip: noPostgres, timeout: 600_000 }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.stop())
  const url = await server.createDatabase()
  const [workplace, elsewhere] = [workplaceOf(t), workplaceOf(t)]
  const key = await keyOf(workplace, '--logging', '--spend-cap', '5')
  let story = await begun(workplace.spawn(['start'], [], { GATEWAY_ADMIN_TOKEN: adminToken }), key)
  // Then the key file has three kinds of keys.
  t.equal((await workplace.run('rotate-key')).exitCode, 0)

  const there = await workplace.run('copy', '--from', 'sqlite:./data/turnpike.db', '--to', url)
  t.equal(there.exitCode, 0, there.stderr)
  t.match(there.stdout, /Copied \d+ rows of \d+ tables from .*turnpike\.db to turnpike_1 at 127\.0\.0\.1:\d+, and compared each of them/)
  const [, lines = ''] = /is in (\S+\.env), as variables/.exec(there.stdout) ?? []
  t.equal(statSync(lines).mode & 0o777, 0o600)
  const secrets = parseEnv(readFileSync(lines, 'utf8')) as Record<string, string>
  t.same(Object.keys(secrets).toSorted(), ['GATEWAY_MAC_KEY', 'GATEWAY_MASTER_KEY', 'GATEWAY_PREVIOUS_MASTER_KEYS'])
  for (const secret of [password, ...Object.values(secrets)]) t.notOk((there.stdout + there.stderr).includes(secret), 'no secret is shown')

  const environment = { ...secrets, DATABASE_URL: url, GATEWAY_ADMIN_TOKEN: adminToken }
  story = await continued(t, elsewhere.spawn(['start'], [], environment), key, story)

  const back = elsewhere.spawn(['copy', '--from', url, '--to', `sqlite:${join(elsewhere.path, 'data', 'turnpike.db')}`], [], secrets)
  const { exitCode, stdout, stderr } = await back.finished
  t.equal(exitCode, 0, stderr)
  t.match(stdout, /The master key is in .*data\/master\.key, too/)
  t.equal(statSync(join(elsewhere.path, 'data', 'master.key')).mode & 0o777, 0o600)
  for (const secret of [password, ...Object.values(secrets)]) t.notOk((stdout + stderr).includes(secret), 'no secret is shown')
  await continued(t, elsewhere.spawn(['start'], [], { GATEWAY_ADMIN_TOKEN: adminToken }), key, story)
})

t.test('a copy that is killed goes on, and no gateway starts on it before', { skip: noPostgres, timeout: 600_000 }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.stop())
  const url = await server.createDatabase()
  const workplace = workplaceOf(t)
  await fill(join(workplace.path, 'data', 'turnpike.db'), { rows: 1, auditRows: 20_000 })
  const environment = { GATEWAY_MASTER_KEY: masterKey }
  const command = ['copy', '--from', 'sqlite:./data/turnpike.db', '--to', url]
  const first = workplace.spawn(command, [], environment)
  await first.says(/copied 1 rows of api_key/)
  first.signal('SIGKILL')
  await first.finished
  const gateway = await workplace.spawn(['start'], [], { ...environment, DATABASE_URL: url }).finished
  t.match(gateway.stderr, /cannot be used: it holds an unfinished copy of another database\. Run the same turnpike copy again/)
  const again = await workplace.spawn(command, [], environment).finished
  t.equal(again.exitCode, 0, again.stderr)
  t.match(again.stdout, /Going on with the copy of .*copied 20,000 rows of audit/s)
})

t.test('mistakes are told without the password', async t => {
  const workplace = workplaceOf(t)
  const refusal = async (from: string, to: string): Promise<string> => {
    const { exitCode, stdout, stderr } = await workplace.run('copy', '--from', from, '--to', to)
    t.equal(exitCode, 1)
    t.notMatch(stdout + stderr, password)
    return stderr
  }
  t.match(await refusal('./data/turnpike.db', `postgres://gateway:${password}@127.0.0.1/x`), /--from: expected sqlite: with a path/)
  t.match(await refusal('sqlite:./data/turnpike.db', `mysql://gateway:${password}@127.0.0.1/x`), /--to: expected sqlite: with a path/)
  t.match(await refusal('sqlite:./data/turnpike.db', `postgres://gateway:${password}@[bad/x`), /--to: expected a valid URL/)
  t.match(await refusal('sqlite:./data/turnpike.db', 'sqlite:data/../data/turnpike.db'), /name the same database/)
  t.match(await refusal('sqlite:./data/turnpike.db', 'sqlite:./data/new.db'), /there is no file .*data\/turnpike\.db/)
  await fill(join(workplace.path, 'data', 'turnpike.db'), { rows: 1 })
  t.match(await refusal('sqlite:./data/turnpike.db', 'sqlite:./data/new.db'), /The key file .*master\.key is missing/)
  writeFileSync(join(workplace.path, 'data', 'master.key'), `${masterKey}\n`, { mode: 0o600 })
  t.match(
    await refusal('sqlite:./data/turnpike.db', `postgres://gateway:${password}@127.0.0.1:1/x`),
    /database x at 127\.0\.0\.1:1 cannot be used: .* Make sure that the server runs and that --to is right/,
  )
})

t.test('a full disk stops a copy, which goes on when there is room', { skip: process.platform !== 'linux' }, async t => {
  const workplace = workplaceOf(t)
  await fill(join(workplace.path, 'data', 'turnpike.db'), { rows: 1, auditRows: 20_000 })
  const command = ['copy', '--from', 'sqlite:./data/turnpike.db', '--to', 'sqlite:./data/new.db']
  const environment = { GATEWAY_MASTER_KEY: masterKey }
  // As large as a file may be, in blocks of 512 or 1,024 bytes.
  const small = await workplace.spawn(command, [], environment, ['/bin/sh', '-c', 'ulimit -f 2000; exec "$@"', 'sh']).finished
  t.equal(small.exitCode, 1)
  t.match(small.stderr, /the copy stopped in table audit, after [\d,]+ rows: .*(full|disk I\/O).*run the same command again/)
  const again = await workplace.spawn(command, [], environment).finished
  t.equal(again.exitCode, 0, again.stderr)
})

/** What a client and an operator know of a gateway, to compare it with the next one. */
interface Story {
  readonly response: string
  readonly conversation: string
  readonly background: string
  readonly spentUsd: number
  readonly records: readonly string[]
}

async function begun(gateway: TurnpikeProcess, key: string): Promise<Story> {
  const { id } = await ask(gateway, key)
  const conversation = await call(gateway, key, 'POST', '/v1/conversations', { metadata: { topic: 'moving' } })
  await ask(gateway, key, { conversation: conversation.id })
  const background = await ask(gateway, key, { background: true })
  while ((await call(gateway, key, 'GET', `/v1/responses/${background.id}`)).status !== 'completed');
  return await ended(gateway, { response: id, conversation: conversation.id, background: background.id })
}

async function continued(t: Test, gateway: TurnpikeProcess, key: string, story: Story): Promise<Story> {
  const before = await known(gateway)
  t.same([before.spentUsd, before.records], [story.spentUsd, story.records], 'what was spent and recorded is known')
  const next = await ask(gateway, key, { previous_response_id: story.response })
  t.match(next.text, /I remember turn/)
  t.match(await call(gateway, key, 'GET', `/v1/responses/${story.background}`), { status: 'completed' })
  const items = await call(gateway, key, 'GET', `/v1/conversations/${story.conversation}/items`)
  t.equal((await ask(gateway, key, { conversation: story.conversation })).status, 200)
  const more = await call(gateway, key, 'GET', `/v1/conversations/${story.conversation}/items`)
  t.ok(items.data.length > 0 && more.data.length > items.data.length, 'the conversation goes on')
  const after = await ended(gateway, { ...story, response: next.id })
  t.ok(after.spentUsd > story.spentUsd, 'spending goes on')
  return after
}

async function ended(gateway: TurnpikeProcess, parts: Omit<Story, 'spentUsd' | 'records'>): Promise<Story> {
  // Records are written a moment later, and all of them at the stop.
  const read = await known(gateway, true)
  gateway.signal('SIGTERM')
  await gateway.finished
  return { ...parts, ...read }
}

async function known(gateway: TurnpikeProcess, isSettling = false): Promise<Pick<Story, 'spentUsd' | 'records'>> {
  const [, adminUrl] = await gateway.says(/The admin API is on (http:[^\s,]+)/)
  const admin = async (path: string): Promise<any> =>
    await (await fetch(`${adminUrl}/admin/v1${path}`, { headers: { authorization: `Bearer ${adminToken}` } })).json()
  const read = async (): Promise<Pick<Story, 'spentUsd' | 'records'>> => {
    const [keys, records] = [await admin('/keys'), await admin('/records?limit=100')]
    return { spentUsd: keys.data[0].spent_usd, records: records.data.map((record: { readonly id: string }) => record.id) }
  }
  for (let last = await read(); ;) {
    if (!isSettling) return last
    await new Promise(resolve => setTimeout(resolve, 400))
    const next = await read()
    if (next.records.length === last.records.length) return next
    last = next
  }
}

async function call(gateway: TurnpikeProcess, key: string, method: string, path: string, body?: object): Promise<any> {
  const reply = await fetch(`${await gateway.url()}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return await reply.json()
}
