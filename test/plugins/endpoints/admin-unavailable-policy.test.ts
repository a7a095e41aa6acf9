import t from 'tap'
import { PolicySources } from '../../../core/index.ts'
import { adminGateway } from '../../kit/admin-gateway.ts'
import { adding } from '../../kit/stage.ts'

t.test('a policy source that fails or hangs loses no secret and hides no key', async t => {
  let isDown = false
  for (const fail of [
    () => {
      throw new Error('down')
    },
    () => new Promise<undefined>(() => {}),
  ]) {
    isDown = false
    const policy = ({ org }: { readonly org: string }): Promise<undefined> | undefined => (isDown && org === 'acme' ? fail() : undefined)
    const under = await adminGateway({ policies: [adding(PolicySources, { level: 'org', timeoutMs: 20, policy })] })
    t.teardown(under.stop)
    const { call } = under
    for (const org of ['acme', 'globex']) await call('POST', '/orgs', { id: org, name: org })
    const { id } = (await call('POST', '/keys', { name: 'a', org: 'acme' })).body
    const other = (await call('POST', '/keys', { name: 'b', org: 'globex' })).body
    t.equal(other.policy_error, null)
    isDown = true
    const gone = { policy_source: null, policy_error: 'The policy of the org is not available. Try again.' }
    t.match(await call('POST', `/keys/${id}/rotate`, {}), { status: 200, body: { key: /^tp_/, id, ...gone } })
    t.match(await call('PATCH', `/keys/${id}`, { name: 'c' }), { status: 200, body: { name: 'c', ...gone } })
    t.match(await call('GET', `/keys/${id}`), { status: 200, body: { name: 'c', ...gone } })
    const { status, body } = await call('GET', '/keys')
    t.equal(status, 200)
    const listed = (wanted: string): unknown => body.data.find((key: any) => key.id === wanted)
    t.match(listed(id), gone)
    t.match(listed(other.id), { policy_source: { zdr: 'key' }, policy_error: null })
    t.equal((await call('PATCH', `/keys/${id}`, { policy: { zdr: { value: true } } })).status, 503)
    t.same((await call('GET', `/keys/${id}`)).body.policy, {}, 'nothing was changed')
    t.equal((await call('POST', '/keys', { name: 'd', org: 'acme' })).status, 503)
  }
})
