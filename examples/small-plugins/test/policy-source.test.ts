import assert from 'node:assert/strict'
import { test } from 'node:test'
import responses from 'turnpike/plugins/endpoints/responses'
import accountPolicies from 'turnpike/plugins/policies/accounts'
import sandbox from 'turnpike/plugins/providers/sandbox'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { conformance, testGateway } from 'turnpike/testing'
import policySource from '../policy-source.ts'

const plugins = () => [memory({}), localSealer({ masterKey: '0'.repeat(64) }), responses({})]
const base = [...plugins(), sandbox({})]
const body = { model: 'sandbox/echo', input: 'the launch code' }

await conformance(
  {
    plugin: policySource({ unlogged: ['acme'] }),
    inputs: { PolicySources: { examples: [{ key: { org: 'acme' }, policy: { logging: { value: false, enforced: true } } }] } },
  },
  { test },
)

test('the policy source turns logging off for an organization', async () => {
  const gateway = await testGateway({ plugins: [...base, policySource({ unlogged: ['default'] })] })
  const reply = (await (await gateway.request('/v1/responses', { body })).json()) as { readonly store: boolean }
  assert.equal(reply.store, false)
  await gateway.stop()
})

test('the policy source runs along with the policies of accounts', async () => {
  const gateway = await testGateway({ plugins: [...base, accountPolicies({}), policySource({ unlogged: ['default'] })] })
  const reply = (await (await gateway.request('/v1/responses', { body })).json()) as { readonly store: boolean }
  assert.equal(reply.store, false)
  await gateway.stop()
})
