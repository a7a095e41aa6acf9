import assert from 'node:assert/strict'
import { test } from 'node:test'
import responses from 'turnpike/plugins/endpoints/responses'
import sandbox from 'turnpike/plugins/providers/sandbox'
import memory from 'turnpike/plugins/stores/memory'
import { sealerSuite, testGateway } from 'turnpike/testing'
import sealer, { KeySealer } from '../sealer.ts'

const masterKey = 'demo-'.repeat(8)

sealerSuite(
  { test },
  { open: () => ({ sealer: new KeySealer(masterKey), other: new KeySealer(masterKey), stranger: new KeySealer('other-'.repeat(8)) }) },
)

test('a gateway seals with it', async () => {
  const gateway = await testGateway({ plugins: [memory({}), responses({}), sandbox({}), sealer({ masterKey })] })
  const reply = await gateway.request('/v1/responses', { body: { model: 'sandbox/echo', input: 'Hello' } })
  assert.equal(reply.status, 200)
  await gateway.stop()
})
