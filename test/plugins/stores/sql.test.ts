import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execPath } from 'node:process'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import t from 'tap'
import { EnvelopeSealer } from '../../../plugins/sealers/local/envelope.ts'
import { checkMasterKey } from '../../../plugins/stores/sql/master-key-check.ts'
import { openSqlite } from '../../../plugins/stores/sql/sqlite/open.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { testSealer } from './databases.ts'
import { keyStoreSuite } from '../../../core/testing/index.ts'
import { fullKey, leanKey } from '../../../core/testing/stores/key-store-suite.ts'
import { response } from '../../../core/testing/stores/response-store-suite.ts'
import { fileOf, masterKey, openSql, run } from './sql.ts'

t.test('keys survive a restart to the letter', async t => {
  const file = fileOf(t)
  const first = await openSql(file)
  t.equal(first.keys.persistent, true)
  t.equal(await first.keys.empty(), true)
  await first.keys.add(leanKey)
  await first.keys.add(fullKey)
  await first.stop()

  const second = await openSql(file)
  t.equal(await second.keys.empty(), false)
  t.strictSame(await second.keys.find('lean'), leanKey)
  t.strictSame(await second.keys.find('full'), fullKey)
  t.equal(await second.keys.find("' or 1=1 --"), undefined)
  await second.stop()
})

t.test('only the owner may read the database, its log and its index', async t => {
  const file = fileOf(t)
  const modes = () => ['', '-wal', '-shm'].map(end => (statSync(`${file}${end}`).mode & 0o777).toString(8))
  const first = await openSql(file)
  await first.keys.add(leanKey)
  t.same(modes(), ['600', '600', '600'])
  for (const end of ['', '-wal', '-shm']) chmodSync(`${file}${end}`, 0o644)
  const second = await openSql(file)
  t.same(modes(), ['600', '600', '600'], 'of an earlier version')
  await first.stop()
  await second.stop()
})

t.test('two gateways pass the suite of key stores', async t =>
  keyStoreSuite(t, {
    async open() {
      const file = fileOf(t)
      const clock = new FakeClock()
      const gateways = [await openSql(file, {}, clock), await openSql(file, {}, clock)] as const
      return {
        keys: gateways[0].keys,
        other: gateways[1].keys,
        pass: milliseconds => clock.pass(milliseconds),
        close: async () => void (await Promise.all(gateways.map(({ stop }) => stop()))),
      }
    },
  }),
)

t.test('an id is given once', async t => {
  const { keys, stop } = await openSql(fileOf(t))
  await keys.add(leanKey)
  await t.rejects(Promise.resolve(keys.add({ ...fullKey, id: 'lean' })), /UNIQUE/)
  t.strictSame(await keys.find('lean'), leanKey)
  await stop()
})

t.test('a key is remembered for a while, and an unknown one is not', async t => {
  const file = fileOf(t)
  const clock = new FakeClock()
  const { keys, stop } = await openSql(file, {}, clock)
  const elsewhere = new DatabaseSync(file)
  t.teardown(() => elsewhere.close())

  t.equal(await keys.find('lean'), undefined)
  await keys.add(leanKey)
  t.strictSame(await keys.find('lean'), leanKey)
  elsewhere.exec("update api_key set disabled = 1 where id = 'lean'")
  clock.pass(999)
  t.notOk(keys.find('lean') instanceof Promise, 'answers from memory')
  t.strictSame(await keys.find('lean'), leanKey)
  clock.pass(2)
  t.strictSame(await keys.find('lean'), { ...leanKey, disabled: true })
  await stop()
})

t.test('cacheTtlMs 0 remembers nothing', async t => {
  const file = fileOf(t)
  const { keys, stop } = await openSql(file, { cacheTtlMs: 0 })
  await keys.add(leanKey)
  t.strictSame(await keys.find('lean'), leanKey)
  const elsewhere = new DatabaseSync(file)
  elsewhere.exec("delete from api_key where id = 'lean'")
  elsewhere.close()
  t.equal(await keys.find('lean'), undefined)
  await stop()
})

t.test('several processes start on a new file at once, and see one another', async t => {
  const file = fileOf(t)
  const found = async (...process: readonly string[]): Promise<{ key: { id: string }; turns: number }> => {
    const program = ['--conditions=turnpike-source', join(import.meta.dirname, 'sql-process.ts'), file, ...process]
    return JSON.parse((await promisify(execFile)(execPath, program)).stdout)
  }
  const outputs = await Promise.all([found('one'), found('two')])
  t.strictSame(
    outputs.map(({ key, turns }) => [key.id, turns]),
    [
      ['one', 20],
      ['two', 20],
    ],
  )
  const { keys, responses, stop } = await openSql(file)
  t.equal((await found('three', 'one-20')).turns, 40, 'a response of another process is continued')
  t.equal((await found('four', 'three-5')).turns, 45)
  for (const id of ['one', 'two', 'three', 'four']) {
    t.strictSame(await keys.find(id), { ...leanKey, id })
    t.strictSame((await responses.get('ada', `${id}-1`))?.body, { id: `${id}-1` }, 'whoever made its data key')
  }
  await stop()
})

t.test('writes wait for one another without losing any', async t => {
  const file = fileOf(t)
  const [one, two] = [await openSql(file), await openSql(file)]
  const ids = Array.from({ length: 40 }, (_, index) => `key${index}`)
  await Promise.all(ids.map((id, index) => (index % 2 ? one : two).keys.add({ ...leanKey, id })))
  for (const id of ids) t.strictSame(await one.keys.find(id), { ...leanKey, id })
  await Promise.all([one.stop(), two.stop()])
})

t.test('uses a write-ahead log', async t => {
  const file = fileOf(t)
  const { stop } = await openSql(file)
  const database = new DatabaseSync(file)
  t.match(database.prepare('pragma journal_mode').get(), { journal_mode: 'wal' })
  database.close()
  await stop()
})

t.test('a database that cannot be used is an error that says what to do', async t => {
  const folder = t.testdir({ 'notes.txt': 'no database at all\n'.repeat(100), blocked: 'a file where a folder should be' })
  const refusal = (file: string): Promise<Error> =>
    openSql(file).then(
      () => t.fail('expected an error') as never,
      error => error,
    )

  const notes = join(folder, 'notes.txt')
  t.equal(
    (await refusal(notes)).message,
    `plugin sql failed to set up: database ${notes} cannot be used: file is not a database. ` +
      'Move that file away, or set the option file to the path of a SQLite database',
  )
  t.match(readFileSync(notes, 'utf8'), /^no database/, 'and the file is left alone')

  const blocked = join(folder, 'blocked', 'turnpike.db')
  t.match((await refusal(blocked)).message, `database ${blocked} cannot be used: `)
  t.match((await refusal(blocked)).message, 'Make the file and its folder writable for this user')

  mkdirSync(join(folder, 'folder.db'))
  t.match((await refusal(join(folder, 'folder.db'))).message, 'folder.db cannot be used: ')

  writeFileSync(join(folder, 'empty.db'), '')
  await (await openSql(join(folder, 'empty.db'))).stop()
})

t.test('a database that this user may only read stops the start', async t => {
  // Root may write everything, so the test becomes the user `nobody` for a moment, who needs a separate folder.
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-read-only-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'turnpike.db')
  await (await openSql(file)).stop()
  chmodSync(folder, 0o777)
  chmodSync(file, 0o444)
  const isRoot = process.geteuid?.() === 0
  if (isRoot) process.seteuid!(65_534)
  try {
    await t.rejects(openSql(file), {
      message: `plugin sql failed to set up: database ${file} is not writable. Make the file and its folder writable for this user, or set the option file to another path`,
    })
  } finally {
    if (isRoot) process.seteuid!(0)
  }
})

t.test('a database of a newer version is refused and left as it was', async t => {
  const file = fileOf(t)
  await (await openSql(file)).stop()
  const database = new DatabaseSync(file)
  database.exec("insert into kysely_migration (name, timestamp) values ('9999-later', '2030-01-01T00:00:00.000Z')")
  database.close()
  await t.rejects(openSql(file), { message: /9999-later.*A newer version of the gateway has used it/ })
})

t.test('a key whose row was damaged is unknown, and others are known', async t => {
  const file = fileOf(t)
  const { keys, stop } = await openSql(file, { cacheTtlMs: 0 })
  t.teardown(stop)
  await keys.add(leanKey)
  await keys.add(fullKey)
  for (const damage of ["policy = '{'", "policy = 'null'", "models = 'x'"]) {
    run(file, `update api_key set ${damage} where id = 'full'`)
    t.equal(await keys.find('full'), undefined, damage)
    t.strictSame(await keys.find('lean'), leanKey)
  }
})

/** The error that keeps the plugins from starting. Undefined if they start. */
async function refusalOf(file: string, sealer: Parameters<typeof openSql>[3]): Promise<string | undefined> {
  try {
    await (await openSql(file, {}, undefined, sealer)).stop()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

t.test('a database is not opened without the master key that it was made under', async t => {
  const file = fileOf(t)
  const keyFile = join(dirname(file), 'master.key')
  const away = `${keyFile}.away`
  const first = await openSql(file, {}, undefined, { keyFile })
  await first.keys.add(leanKey)
  await first.stop()
  t.equal(await refusalOf(file, { keyFile }), undefined)

  renameSync(keyFile, away)
  t.match(await refusalOf(file, { keyFile }), new RegExp(`database ${file} was created with .* key file ${keyFile} is missing`))
  t.notOk(existsSync(keyFile), 'no new key lies beside old data')
  t.match(await refusalOf(file, { masterKey: 'cd'.repeat(32) }), /option masterKey .*GATEWAY_MASTER_KEY.* has a different one/)
  writeFileSync(keyFile, randomBytes(32).toString('hex'), { mode: 0o600 })
  t.match(await refusalOf(file, { keyFile }), new RegExp(`key file ${keyFile} has a different one`))
  t.match(await refusalOf(file, { keyFile, previousKeys: [readFileSync(away, 'utf8').trim()] }), /API keys .* Set macKey/)
  truncateSync(keyFile, 20)
  t.match(await refusalOf(file, { keyFile }), new RegExp(`key file ${keyFile}: expected 32 bytes`))
  truncateSync(keyFile, 0)
  t.match(await refusalOf(file, { keyFile }), new RegExp(`key file ${keyFile}: expected 32 bytes`))
  chmodSync(keyFile, 0o644)
  t.match(await refusalOf(file, { keyFile }), /can be read by others/)
  rmSync(keyFile)
  mkdirSync(keyFile, { mode: 0o700 })
  t.match(await refusalOf(file, { keyFile }), /cannot be read \(EISDIR\)/)
  rmSync(keyFile, { recursive: true })

  renameSync(away, keyFile)
  t.equal(await refusalOf(file, { keyFile }), undefined, 'with its key it opens as before')
  const previous = readFileSync(keyFile, 'utf8').trim()
  const rotated = { masterKey, previousKeys: [previous], macKey: previous }
  t.equal(await refusalOf(file, rotated), undefined, 'a rotation')
  t.equal(await refusalOf(file, { masterKey, macKey: previous }), undefined, 'after which the old key seals nothing')
  t.match(await refusalOf(file, { keyFile }), new RegExp(`key file ${keyFile} has a different one`))
})

t.test('a key file that another process creates during the start is found', async t => {
  const { database } = await openSqlite(fileOf(t))
  t.teardown(() => database.destroy())
  await checkMasterKey(database, testSealer(), 'turnpike.db')
  const current = Buffer.from(masterKey, 'hex')
  const late = new EnvelopeSealer({ source: 'key file', reload: () => ({ current }) })
  t.equal(late.hasKey, false, 'when it looked, there was no file')
  await checkMasterKey(database, late, 'turnpike.db')
  t.equal(late.hasKey, true)
  const never = new EnvelopeSealer({ source: 'key file', reload: () => undefined })
  await t.rejects(checkMasterKey(database, never, 'turnpike.db'), /The key file is missing/)
})

t.test('a database that is older than the check of its master key', async t => {
  const file = fileOf(t)
  const keyFile = join(dirname(file), 'master.key')
  const age = (): unknown => run(file, 'delete from master_key_check')
  const first = await openSql(file)
  await first.keys.add(leanKey)
  await first.stop()
  age()
  t.match(await refusalOf(file, { keyFile }), /is missing/, 'API keys, and no key file')
  t.notOk(existsSync(keyFile))
  t.equal(await refusalOf(file, { masterKey }), undefined)

  const again = await openSql(file)
  await again.responses.put('ada', response('a'))
  await again.stop()
  age()
  t.match(await refusalOf(file, { masterKey: 'cd'.repeat(32) }), /has a different one/, 'a data key tells')
  t.equal(await refusalOf(file, { masterKey }), undefined)
  run(file, "update master_key_check set sealed = x'00'")
  t.equal(await refusalOf(file, { masterKey }), undefined, 'a damaged check is set right by a data key that opens')
  t.match(await refusalOf(file, { masterKey: 'cd'.repeat(32) }), /has a different one/)
})
