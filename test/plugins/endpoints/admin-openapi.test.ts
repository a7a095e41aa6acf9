import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { hello, saying } from '../../kit/gateway.ts'
import { adminGateway } from '../../kit/admin-gateway.ts'

t.test('records, keys and accounts are as openapi.json describes them', async t => {
  const under = await adminGateway({ plugins: [saying('vendor', hello)] })
  t.teardown(under.stop)
  const { call } = under
  const { components } = (await call('GET', '/admin/openapi.json')).body
  const ajv = new Ajv2020({ strict: false, allErrors: true }).addSchema({ $id: 'document', components })
  const check = (name: string, object: object): void => {
    // A member that the schema does not know is a field that the list does not have.
    const validate = ajv.compile({ $ref: `document#/components/schemas/${name}`, unevaluatedProperties: false })
    t.ok(validate(object), `${name}: ${ajv.errorsText(validate.errors)}`)
  }
  await call('POST', '/orgs', {
    id: 'acme',
    name: 'Acme',
    spend_cap_usd: 5,
    spend_period: 'day',
    policy: { zdr: { value: true, enforced: true } },
  })
  await call('POST', '/teams', { id: 'research', name: 'Research', org: 'acme', metadata: { plan: 'gold' } })
  await call('POST', '/users', { id: 'ada', name: 'Ada', org: 'acme', team: 'research' })
  const full = {
    spend_cap_usd: 5,
    limits: [{ tokens: 5, window_s: 1 }],
    models: ['a'],
    expires_at: '2036-01-31T12:00:00.000Z',
    disabled: true,
  }
  for (const settings of [{}, full]) {
    const { id } = (await call('POST', '/keys', { name: 'demo', org: 'acme', user: 'ada', ...settings })).body
    check('Key', (await call('GET', `/keys/${id}`)).body)
  }
  check('Organization', (await call('GET', '/orgs/acme')).body)
  check('Team', (await call('GET', '/teams/research')).body)
  check('User', (await call('GET', '/users/ada')).body)
  for (const model of ['m', 'unknown']) await under.request('/v1/responses', { body: { model, input: 'hi' } })
  const ids = await recordIds(call)
  t.equal(ids.length, 2)
  for (const id of ids) check('Record', (await call('GET', `/records/${id}`)).body)
})

/** Records arrive a moment after the reply. */
async function recordIds(call: Awaited<ReturnType<typeof adminGateway>>['call']): Promise<readonly string[]> {
  for (;;) {
    const { data } = (await call('GET', '/records')).body as { readonly data: readonly { readonly id: string }[] }
    if (data.length >= 2) return data.map(({ id }) => id)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}
