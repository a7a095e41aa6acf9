import assert from 'node:assert/strict'
import { test } from 'node:test'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { conformance, testGateway } from 'turnpike/testing'
import metrics from '../metrics.ts'

await conformance(metrics({}), { test })

test('the route tells the memory of the process', async () => {
  const gateway = await testGateway({ plugins: [memory({}), localSealer({ masterKey: '0'.repeat(64) }), metrics({})] })
  const reply = await gateway.request('/v1/vitals')
  assert.equal(reply.status, 200)
  assert.match(await reply.text(), /^acme_memory_bytes [1-9]\d+$/m)
  await gateway.stop()
})
