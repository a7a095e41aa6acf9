import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { policyFields } from '../../../core/admin.ts'
import sql from '../../../plugins/stores/sql/index.ts'
import { stores } from '../../kit/accounts.ts'
import { fileOf } from '../stores/sql.ts'
import { adminGateway, type AdminGateway, type Answer } from '../../kit/admin-gateway.ts'

const on = { value: true, enforced: true }
const off = { value: false, enforced: true }
const paths = { org: '/orgs/acme', team: '/teams/research', user: '/users/ada' } as const

interface Stage extends AdminGateway {
  /** As an editor whose token is bound to the organization. */
  asOrg(method: string, path: string, body?: unknown): Promise<Answer>
}

async function stage(t: Test, plugins: Parameters<typeof adminGateway>[0] = {}): Promise<Stage> {
  const under = await adminGateway(plugins)
  t.teardown(under.stop)
  await under.call('POST', '/orgs', { id: 'acme', name: 'Acme' })
  await under.call('POST', '/teams', { id: 'research', name: 'Research', org: 'acme' })
  await under.call('POST', '/teams', { id: 'support', name: 'Support', org: 'acme' })
  await under.call('POST', '/users', { id: 'ada', name: 'Ada', org: 'acme', team: 'research' })
  const editor = await under.token('editor', 'acme')
  return { ...under, asOrg: (method, path, body) => under.call(method, path, body, editor) }
}

const refusal = (message: RegExp) => ({ status: 403, body: { error: { code: 'role_not_sufficient', message } } })

/** The statements of the tests hold for every store. */
for (const store of ['memory', 'sql'] as const) {
  const inStore = (t: Test) => {
    if (store === 'memory') return stage(t)
    const folder = mkdtempSync(join(tmpdir(), 'turnpike-locks-'))
    t.teardown(() => rmSync(folder, { recursive: true }))
    return stage(t, { plugins: [sql({ file: join(folder, 'turnpike.db'), services: ['accounts', 'keys', 'admin-tokens', 'audit'] })] })
  }

  t.test(`${store}: a lock of the operator can be resent by a token of the organization, but not changed`, async t => {
    const { call, asOrg } = await inStore(t)
    for (const [level, path] of Object.entries(paths))
      for (const field of policyFields) {
        const lock = { ...on, ...(field === 'redaction' && { settings: { detectors: ['email'], restore: false } }) }
        await call('PATCH', path, { policy: { [field]: lock } })
        const before = (await call('GET', path)).body
        t.same(before.policy_set_by, { [field]: 'all' })
        for (const change of [
          null,
          off,
          { value: true },
          { value: true, enforced: false },
          { value: false },
          ...(field === 'redaction' ? [on, { ...on, settings: { detectors: ['email'] } }, { ...on, settings: {} }] : []),
        ]) {
          const name = `${level} ${field} ${JSON.stringify(change)}`
          t.match(
            await asOrg('PATCH', path, { name: 'Changed', policy: { [field]: change } }),
            refusal(/A token for all organizations locked/),
            name,
          )
        }
        t.same((await call('GET', path)).body, before, 'nothing has changed')
        const resent = await asOrg('PATCH', path, { policy: { [field]: lock } })
        t.equal(resent.status, 200)
        t.same(resent.body, before)
        t.match(await asOrg('PATCH', path, { policy: { [field]: null } }), { status: 403 }, 'also after it was resent')
        t.equal((await asOrg('PATCH', path, { name: before.name, metadata: {} })).status, 200, 'the rest may change')
        t.equal((await call('PATCH', path, { policy: { [field]: null } })).status, 200)
        t.same((await call('GET', path)).body.policy_set_by, {})
      }
  })
}

t.test('a lock of the organization itself is its own, until the operator makes it theirs', async t => {
  const { call, asOrg } = await stage(t)
  for (const path of Object.values(paths)) {
    t.match(await asOrg('PATCH', path, { policy: { zdr: on } }), {
      status: 200,
      body: { policy: { zdr: on }, policy_set_by: { zdr: 'org' } },
    })
    t.same((await asOrg('PATCH', path, { policy: { zdr: off } })).body.policy, { zdr: off }, 'without who made it')
    t.match(await call('PATCH', path, { name: 'X' }), { body: { policy_set_by: { zdr: 'org' } } })
    t.match(await asOrg('PATCH', path, { policy: { zdr: null } }), { status: 200, body: { policy_set_by: {} } })
    await asOrg('PATCH', path, { policy: { zdr: on } })
    t.match(await call('PATCH', path, { policy: { zdr: on } }), { status: 200, body: { policy_set_by: { zdr: 'all' } } })
    t.equal((await asOrg('PATCH', path, { policy: { zdr: null } })).status, 403)
    t.equal((await call('PATCH', path, { policy: { zdr: null } })).status, 200)
  }
  t.equal((await asOrg('PATCH', paths.org, { policy: { zdr: { ...on, setBy: 'org' } } })).status, 400, 'nobody can say who made a lock')
  t.equal((await call('PATCH', paths.org, { policy_set_by: { zdr: 'org' } })).status, 400)
  const created = await asOrg('POST', '/teams', { id: 'new', name: 'New', org: 'acme', policy: { hipaa: on } })
  t.match(created, { status: 201, body: { policy_set_by: { hipaa: 'org' } } })
  t.match((await call('POST', '/teams', { id: 'other', name: 'Other', org: 'acme', policy: { hipaa: on } })).body, {
    policy_set_by: { hipaa: 'all' },
  })
  const { data } = (await call('GET', '/audit?target=ada')).body
  t.ok(
    data.some(({ changes }: any) => changes.policy_set_by?.from.zdr === 'org' && changes.policy_set_by.to.zdr === 'all'),
    'that is audited',
  )
})

t.test('an account with a lock of the operator is deleted by the operator only', async t => {
  const { call, asOrg } = await stage(t)
  await call('POST', '/users', { id: 'bob', name: 'Bob', org: 'acme', policy: { logging: off } })
  await call('PATCH', '/teams/support', { policy: { zdr: on } })
  t.match(await asOrg('DELETE', '/users/bob'), refusal(/locked "logging" on the user "bob"/))
  t.match(await asOrg('DELETE', '/teams/support'), refusal(/locked "zdr" on the team "support"/))
  t.equal((await call('DELETE', '/users/bob')).status, 200)
  t.equal((await call('PATCH', '/teams/support', { policy: { zdr: null } })).status, 200)
  t.equal((await asOrg('DELETE', '/teams/support')).status, 200)
})

t.test('no user moves out of a lock of the operator', async t => {
  const { call, asOrg } = await stage(t)
  const key = (await call('POST', '/keys', { name: 'k', org: 'acme', user: 'ada' })).body.id
  const policyOf = async () => (await call('GET', `/keys/${key}/policy`)).body
  await call('PATCH', paths.team, { policy: { zdr: on } })
  for (const team of [null, 'support'])
    t.match(await asOrg('PATCH', paths.user, { team }), refusal(/locked "zdr" on the team "research".*Only such a token can move/))
  await asOrg('PATCH', '/teams/support', { policy: { zdr: on } })
  t.equal((await asOrg('PATCH', paths.user, { team: 'support' })).status, 403, 'the lock of the other team could be released')
  t.match(await policyOf(), { zdr: { value: true, locked_by: 'team' } })
  await call('PATCH', '/teams/support', { policy: { zdr: on } })
  t.equal((await asOrg('PATCH', paths.user, { team: 'support' })).status, 200, 'the same lock of the operator')
  t.equal((await call('PATCH', paths.user, { team: null })).status, 200)

  await call('PATCH', paths.user, { policy: { logging: off } })
  await asOrg('POST', '/teams', { id: 'open', name: 'Open', org: 'acme', policy: { logging: on } })
  t.match(await asOrg('PATCH', paths.user, { team: 'open' }), refusal(/locked "logging" on the user "ada"/))
  t.match(await policyOf(), { logging: { value: false, locked_by: 'user' } })
})

t.test('keys of a user without a team leave no lock of the operator either', async t => {
  const { call, asOrg } = await stage(t)
  await call('POST', '/users', { id: 'eve', name: 'Eve', org: 'acme' })
  const key = (await asOrg('POST', '/keys', { name: 'k', org: 'acme', user: 'eve', team: 'research' })).body.id
  await call('PATCH', paths.team, { policy: { zdr: on } })
  t.equal((await asOrg('PATCH', '/users/eve', { team: 'support' })).status, 403)
  t.equal((await asOrg('PATCH', '/users/eve', { team: 'research' })).status, 200)
  t.match((await call('GET', `/keys/${key}/policy`)).body, { zdr: { value: true } })
})

t.test('no new key of a user is free of the lock of the operator on the user', async t => {
  const { call, asOrg } = await stage(t)
  await call('POST', '/users', { id: 'eve', name: 'Eve', org: 'acme', policy: { logging: off } })
  await asOrg('PATCH', '/teams/support', { policy: { logging: on } })
  const key = { name: 'k', org: 'acme', user: 'eve' }
  t.match(
    await asOrg('POST', '/keys', { ...key, team: 'support' }),
    refusal(/locked "logging" on the user "eve".*Only such a token can create/),
  )
  t.equal((await asOrg('POST', '/keys', { ...key, team: 'research' })).status, 201)
  t.equal((await asOrg('POST', '/keys', { ...key })).status, 201)
  t.equal((await call('POST', '/keys', { ...key, team: 'support' })).status, 201, 'the operator may')
  await call('PATCH', '/teams/support', { policy: { logging: on } })
  t.match(
    await asOrg('POST', '/keys', { ...key, team: 'support' }),
    refusal(/lock of the team "support" contradicts it/),
    'a lock of the operator',
  )
})

t.test('no lock of the organization wins over one of the operator below', async t => {
  const { call, asOrg } = await stage(t)
  const key = (await call('POST', '/keys', { name: 'k', org: 'acme', user: 'ada' })).body.id
  await call('PATCH', paths.team, { policy: { zdr: on } })
  await call('PATCH', paths.user, { policy: { logging: off } })
  t.match(
    await asOrg('PATCH', paths.org, { policy: { zdr: off } }),
    refusal(/locked "zdr" on the team "research", and this lock contradicts it/),
  )
  t.match(await asOrg('PATCH', paths.org, { policy: { logging: on } }), refusal(/locked "logging" on the user "ada"/))
  t.match(await asOrg('PATCH', paths.team, { policy: { logging: on } }), refusal(/locked "logging" on the user "ada"/))
  t.match((await call('GET', `/keys/${key}/policy`)).body, { zdr: { value: true }, logging: { value: false } })
  t.equal((await asOrg('PATCH', paths.org, { policy: { zdr: on, logging: off } })).status, 200, 'the same value')
  t.equal((await asOrg('PATCH', paths.org, { policy: { zdr: off } })).status, 403)
  t.equal((await asOrg('PATCH', paths.org, { policy: { zdr: { value: false } } })).status, 200, 'a wish wins over nothing')
  t.equal((await asOrg('PATCH', '/teams/support', { policy: { logging: on } })).status, 200, 'the user is not below')
  t.equal((await call('PATCH', paths.org, { policy: { zdr: off } })).status, 200, 'the operator may')
  await call('POST', '/users', { id: 'eve', name: 'Eve', org: 'acme', policy: { hipaa: on } })
  t.equal((await asOrg('PATCH', '/teams/support', { policy: { hipaa: off } })).status, 200)
  await asOrg('PATCH', '/teams/support', { policy: { hipaa: null } })
  await asOrg('POST', '/keys', { name: 'k', org: 'acme', user: 'eve', team: 'support' })
  t.equal((await asOrg('PATCH', '/teams/support', { policy: { hipaa: off } })).status, 403, 'a key of the user is')
})

t.test('locks below one of the operator have no effect, and keys cannot change it', async t => {
  const { call, asOrg } = await stage(t)
  await call('PATCH', paths.org, { policy: { zdr: on } })
  const key = (await asOrg('POST', '/keys', { name: 'k', org: 'acme', user: 'ada' })).body.id
  for (const path of [paths.team, paths.user]) t.equal((await asOrg('PATCH', path, { policy: { zdr: off } })).status, 200)
  t.match((await call('GET', `/keys/${key}/policy`)).body, { zdr: { value: true, locked_by: 'org' } })
  t.equal((await asOrg('PATCH', `/keys/${key}`, { policy: { zdr: { value: false } } })).status, 409)
  t.equal((await asOrg('POST', '/keys', { name: 'k', org: 'acme', policy: { zdr: { value: false } } })).status, 409)
})

t.test('owners of one organization are held to it, too', async t => {
  const under = await stage(t)
  const owner = await under.token('owner', 'acme')
  await under.call('PATCH', paths.team, { policy: { zdr: on } })
  t.equal((await under.call('PATCH', paths.team, { policy: { zdr: null } }, owner)).status, 403)
  t.equal((await under.call('PATCH', paths.team, { policy: { zdr: null } }, await under.token('editor'))).status, 200)
})

t.test('a lock that the operator makes meanwhile holds', async t => {
  const given = stores()
  const { asOrg, call } = await stage(t, { plugins: [given.plugin] })
  const { accounts } = given.of()
  const update = accounts.update.bind(accounts)
  accounts.update = async (ref, change) => {
    await update(ref, { policy: { zdr: on } })
    return await update(ref, change)
  }
  t.equal((await asOrg('PATCH', paths.team, { policy: { zdr: off } })).status, 403)
  t.match((await call('GET', paths.team)).body, { policy: { zdr: on }, policy_set_by: { zdr: 'all' } })
})

t.test('locks that are stored without their maker, as before an upgrade, are those of the operator', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-locks-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'turnpike.db')
  const { asOrg, call } = await stage(t, { plugins: [sql({ file, services: ['accounts'] })] })
  const database = new DatabaseSync(file)
  database.prepare("update account set policy = ? where id = 'research'").run(JSON.stringify({ zdr: on, hipaa: { value: true } }))
  database.close()
  t.same((await call('GET', paths.team)).body.policy_set_by, { zdr: 'all' })
  t.equal((await asOrg('PATCH', paths.team, { policy: { zdr: null } })).status, 403)
  t.equal((await asOrg('PATCH', paths.team, { policy: { hipaa: null } })).status, 200, 'that is none')
})

/** Requests that evade the operator's lock of the user `lu` if the second one passes its checks before the first one writes. */
const evasions: Readonly<Record<string, (team: string) => readonly (readonly [string, string, object])[]>> = {
  'a lock of a team, and a user who moves into it': team => [
    ['PATCH', `/teams/${team}`, { policy: { zdr: off } }],
    ['PATCH', '/users/lu', { team }],
  ],
  'a lock of a team, and a new key in it': team => [
    ['PATCH', `/teams/${team}`, { policy: { zdr: off } }],
    ['POST', '/keys', { name: 'new', org: 'acme', user: 'lu', team }],
  ],
}

for (const [name, evasion] of Object.entries(evasions)) {
  t.test(`two requests at once do not evade a lock of the operator: ${name}`, async t => {
    const given = stores()
    const { asOrg, call } = await stage(t, { plugins: [given.plugin] })
    await call('POST', '/users', { id: 'lu', name: 'Lu', org: 'acme', policy: { zdr: on } })
    const old = (await asOrg('POST', '/keys', { name: 'k', org: 'acme', user: 'lu' })).body.id
    const { accounts, keys } = given.of()
    // Both requests have passed their checks before either writes.
    const both = Promise.withResolvers<void>()
    let waiting = 0
    const held = async (): Promise<void> => {
      if (++waiting >= 2) both.resolve()
      await both.promise
    }
    const [update, updateKey, add] = [accounts.update.bind(accounts), keys.update.bind(keys), keys.add.bind(keys)]
    accounts.update = async (ref, change) => (await held(), await update(ref, change))
    keys.update = async (id, change) => (await held(), await updateKey(id, change))
    keys.add = async key => (await held(), await add(key))
    const [locking, other] = await Promise.all(evasion('support').map(([method, path, body]) => asOrg(method, path, body)))
    t.match(locking, { status: 200 })
    t.ok([200, 201].includes(other!.status), 'both have passed')
    for (const id of [old, other!.body.object === 'key' ? other!.body.id : old]) {
      t.match((await call('GET', `/keys/${id}/policy`)).body.zdr, { value: true, policy_source: 'user', locked_by: 'user' })
      t.equal((await asOrg('PATCH', `/keys/${id}`, { policy: { zdr: { value: false } } })).status, 409)
    }
    t.equal((await asOrg('PATCH', '/users/lu', { policy: { zdr: off } })).status, 403)
    t.match((await call('GET', '/teams/support')).body.policy_set_by, { zdr: 'org' })
  })

  t.test(`two processes on one database do not evade it either: ${name}`, async t => {
    const file = fileOf(t)
    const plugins = () => [sql({ file, services: ['accounts', 'keys', 'admin-tokens', 'audit'] })]
    const first = await stage(t, { plugins: plugins() })
    const second = await adminGateway({ plugins: plugins() })
    t.teardown(second.stop)
    const editor = await second.token('editor', 'acme')
    const { call } = first
    await call('POST', '/users', { id: 'lu', name: 'Lu', org: 'acme', policy: { zdr: on } })
    await call('POST', '/keys', { name: 'k', org: 'acme', user: 'lu' })
    for (let round = 0; round < 5; round++) {
      const team = `team-${round}`
      await call('POST', '/teams', { id: team, name: team, org: 'acme' })
      const [locking, other] = evasion(team)
      await Promise.all([first.asOrg(...locking!), second.call(...other!, editor)])
      const fresh = await adminGateway({ plugins: plugins() })
      for (const { id } of (await fresh.call('GET', '/keys?user=lu')).body.data)
        t.match((await fresh.call('GET', `/keys/${id}/policy`)).body.zdr, { value: true, locked_by: 'user' })
      await fresh.stop()
      await call('PATCH', '/users/lu', { team: null })
    }
  })
}

t.test('a lock of the operator applies whatever the organization locked before it', async t => {
  const { call, asOrg } = await stage(t)
  const key = (await call('POST', '/keys', { name: 'k', org: 'acme', user: 'ada' })).body.id
  const policy = async (): Promise<object> => (await call('GET', `/keys/${key}/policy`)).body
  for (const path of Object.values(paths)) t.equal((await asOrg('PATCH', path, { policy: { zdr: off, logging: on } })).status, 200)
  t.match(await policy(), { zdr: { value: false, locked_by: 'org' }, logging: { value: true, locked_by: 'org' } })
  await call('PATCH', paths.user, { policy: { zdr: on } })
  t.match(await policy(), { zdr: { value: true, locked_by: 'user' }, logging: { value: true, locked_by: 'org' } })
  await call('PATCH', paths.team, { policy: { zdr: off } })
  t.match(await policy(), { zdr: { value: false, locked_by: 'team' } }, 'of two locks of the operator, the higher one')
  await call('PATCH', paths.team, { policy: { zdr: null } })
  await call('PATCH', paths.user, { policy: { zdr: null } })
  t.match(await policy(), { zdr: { value: false, locked_by: 'org' } })
})
