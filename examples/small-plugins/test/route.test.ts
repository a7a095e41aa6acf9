import assert from 'node:assert/strict'
import { test } from 'node:test'
import responses from 'turnpike/plugins/endpoints/responses'
import sandbox from 'turnpike/plugins/providers/sandbox'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { conformance, testGateway } from 'turnpike/testing'
import route from '../route.ts'

const plugins = () => [memory({}), localSealer({ masterKey: '0'.repeat(64) }), responses({})]
const base = [...plugins(), sandbox({})]

await conformance(route({}), { test })

test('the route names the key', async () => {
  const gateway = await testGateway({ plugins: [...base, route({})], key: { name: 'demo', org: 'acme' } })
  assert.deepEqual(await (await gateway.request('/v1/whoami')).json(), { key: 'demo', org: 'acme' })
  await gateway.stop()
})
