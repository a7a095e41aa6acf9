import t from 'tap'
import { policyFields } from '../../../core/admin.ts'
import { levels } from '../../../core/contracts/policy.ts'
import { PolicySources, type Level, type PolicyField, type PolicyLayer } from '../../../core/index.ts'
import { accountLevels } from '../../../core/stores.ts'
import accountPolicies from '../../../plugins/policies/accounts/index.ts'
import { account, org, stores, team, user } from '../../kit/accounts.ts'
import { adminGateway } from '../../kit/admin-gateway.ts'
import { adding, guarding } from '../../kit/stage.ts'
import { gateway, hello, saying } from '../../kit/gateway.ts'

type Setting = { readonly value: boolean; readonly enforced?: boolean } | undefined
const above: readonly Setting[] = [undefined, ...[true, false].flatMap(value => [{ value }, { value, enforced: true }])]
const own: readonly Setting[] = [undefined, { value: true }, { value: false }]
const refs = { org, team, user }

async function underTest() {
  const given = stores()
  const under = await gateway({
    plugins: [
      given.plugin,
      accountPolicies({}),
      guarding(undefined, { enforces: ['zdr', 'hipaa', 'redaction'], settingsProblem: () => undefined }),
    ],
    key: { name: 'k', org: 'example', team: 'research', user: 'ada', policy: {} },
  })
  const { accounts } = given.of()
  const keyId = under.apiKey.split('_')[1]!
  /** The id of a request that the policy of this moment applies to. */
  const ask = async (): Promise<string> => (await under.request('/v1/models')).headers.get('x-request-id')!
  const policyNow = async () => (await under.record(await ask())).policy!
  return { under, accounts, keyId, ask, policyNow }
}

for (const field of policyFields)
  t.test(`${field}: every combination of levels, enforcement, own value and release`, async t => {
    const { under, accounts, keyId, ask } = await underTest()
    t.teardown(under.stop)
    for (const ref of Object.values(refs)) await accounts.add(account(ref))
    const set = async (level: Level, setting: Setting): Promise<void> => {
      // The other fields say the opposite, enforced: they must not matter.
      const others = Object.fromEntries(
        policyFields.filter(other => other !== field).map(other => [other, { value: true, enforced: true }]),
      )
      const policy: PolicyLayer = setting ? { [field]: setting } : {}
      if (level === 'key') await under.gateway.keys.update(keyId, { policy })
      else await accounts.update(refs[level], { policy: level === 'org' ? { ...others, ...policy } : policy })
    }
    const asked: { readonly id: string; readonly settings: string; readonly value: boolean; readonly source: Level }[] = []
    const check = async (settings: Readonly<Record<Level, Setting>>): Promise<void> => {
      const source = levels.find(level => settings[level]?.enforced) ?? 'key'
      asked.push({ id: await ask(), settings: JSON.stringify(settings), value: settings[source]?.value ?? false, source })
    }
    let combinations = 0
    for (const atOrg of above)
      for (const atTeam of above)
        for (const atUser of above)
          for (const atKey of own) {
            const settings: Record<Level, Setting> = { org: atOrg, team: atTeam, user: atUser, key: atKey }
            for (const level of levels) await set(level, settings[level])
            await check(settings)
            // Released from the top, one enforcer after the other, until the key's own value applies.
            for (const level of accountLevels) {
              if (!settings[level]?.enforced) continue
              settings[level] = { value: settings[level].value, enforced: false }
              await set(level, settings[level])
              await check(settings)
            }
            combinations++
          }
    t.equal(combinations, 375)
    const records = new Map((await under.recorded(asked.length)).map(record => [record.id, record]))
    const wrong = asked.filter(({ id, value, source }) => {
      const found = records.get(id)!.policy![field]
      return found.value !== value || found.source !== source
    })
    t.same(wrong, [])
  })

t.test('accounts that do not exist set nothing, and a new one takes effect at once', async t => {
  const { under, accounts, policyNow } = await underTest()
  t.teardown(under.stop)
  const off = Object.fromEntries(policyFields.map((field: PolicyField) => [field, { value: false, source: 'key' }]))
  t.same(await policyNow(), off)
  await accounts.add(account(team, { policy: { redaction: { value: true, enforced: true, settings: { detectors: ['email'] } } } }))
  t.same(await policyNow(), { ...off, redaction: { value: true, source: 'team' } }, 'records do not hold settings')
  await accounts.add(account({ level: 'team', org: 'other', id: 'research' }, { policy: { zdr: { value: true, enforced: true } } }))
  t.equal((await policyNow()).zdr.source, 'key', 'the team of another organization, with the same id')
})

t.test('without the plugin, requests below an account that enforces something are refused', async t => {
  const given = stores()
  const key = { name: 'k', org: 'example', team: 'research', user: 'ada', policy: {} }
  const under = await gateway({ plugins: [given.plugin], key })
  t.teardown(under.stop)
  const { accounts } = given.of()
  await accounts.add(account(org))
  await accounts.add(account(team, { policy: { logging: { value: false } } }))
  t.equal((await under.request('/v1/models')).status, 200, 'nothing is enforced')
  await accounts.update(team, { policy: { logging: { value: false, enforced: true } } })
  const refused = await under.request('/v1/models')
  t.equal(refused.status, 422)
  t.match(await refused.json(), {
    error: { message: /^The team of this API key enforces "logging", but no plugin .* Load a plugin that does/ },
  })
  await accounts.update(team, { policy: {} })
  t.equal((await under.request('/v1/models')).status, 200)
})

t.test('in its place, a source that reads no accounts leaves enforced policy neither storable nor ignored', async t => {
  const own = adding(PolicySources, { level: 'org', policy: () => ({ logging: { value: false, enforced: true } }) })
  const given = stores()
  const under = await adminGateway({ policies: [own], plugins: [given.plugin, saying('acme', hello)], key: { org: 'acme', policy: {} } })
  t.teardown(under.stop)
  const { call } = under
  const zdr = { value: true, enforced: true }
  for (const [path, more, level] of [
    ['/orgs', {}, 'organization'],
    ['/teams', { org: 'acme' }, 'team'],
    ['/users', { org: 'acme' }, 'user'],
  ] as const) {
    const refused = {
      status: 409,
      body: {
        error: {
          code: 'policy_not_read',
          param: 'policy.zdr',
          message: new RegExp(`^No loaded plugin reads the stored policy of ${level}s`),
        },
      },
    }
    t.match(await call('POST', path, { id: 'acme', name: 'Acme', ...more, policy: { zdr } }), refused)
    t.equal((await call('POST', path, { id: 'acme', name: 'Acme', ...more, policy: { zdr: { value: true } } })).status, 201)
    t.match(await call('PATCH', `${path}/acme`, { policy: { logging: null, zdr } }), refused)
    t.equal((await call('PATCH', `${path}/acme`, { name: 'ACME', policy: { zdr: null } })).status, 200)
  }
  const body = { model: 'acme/m', input: 'hi' }
  t.equal((await under.request('/v1/responses', { body })).status, 200)
  await given.of().accounts.update({ level: 'org', org: 'acme', id: 'acme' }, { policy: { zdr } })
  t.equal((await under.request('/v1/responses', { body })).status, 422)
  t.equal((await call('POST', '/playground/responses', { key: under.apiKey.split('_')[1], request: body })).status, 422)
  t.equal((await call('GET', `/routes?model=acme/m&key=${under.apiKey.split('_')[1]}`)).status, 422)
  t.equal((await call('PATCH', '/orgs/acme', { name: 'Acme' })).status, 200, 'what is stored may stay')
  t.equal((await call('PATCH', '/orgs/acme', { policy: { zdr: null } })).status, 200, 'and may go')
  t.equal((await under.request('/v1/responses', { body })).status, 200)
})

t.test('beside it, another source adds its own', async t => {
  const own = adding(PolicySources, {
    level: 'org',
    policy: () => ({ logging: { value: false, enforced: true }, zdr: { value: false, enforced: true } }),
  })
  const under = await adminGateway({ policies: [own, accountPolicies({})], plugins: [saying('acme', hello)], key: { org: 'acme' } })
  t.teardown(under.stop)
  const { call } = under
  await call('POST', '/orgs', {
    id: 'acme',
    name: 'Acme',
    policy: { zdr: { value: true, enforced: true }, logging: { value: true, enforced: true } },
  })
  const { body } = await call('GET', `/keys/${under.apiKey.split('_')[1]}/policy`)
  t.match(body, { zdr: { value: true, locked_by: 'org' }, logging: { value: false, locked_by: 'org' } })
  t.match(await call('POST', '/keys', { name: 'new', org: 'acme', policy: { logging: { value: true } } }), {
    status: 409,
    body: { error: { code: 'policy_locked' } },
  })
  const { data } = (await call('GET', '/plugins')).body
  const sources = data
    .flatMap((plugin: any) => plugin.contributions ?? plugin.adds ?? [])
    .filter((each: any) => each.point === 'policy source')
  t.equal(sources.length, 4)
})
