import assert from 'node:assert/strict'
import { test } from 'node:test'
import responses from 'turnpike/plugins/endpoints/responses'
import sandbox from 'turnpike/plugins/providers/sandbox'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { sharedStateSuite, testGateway } from 'turnpike/testing'
import sharedState, { Hub } from '../shared-state.ts'

sharedStateSuite(
  { test },
  {
    open() {
      const hub = new Hub()
      return { join: () => hub.join() }
    },
  },
)

test('a gateway serves with it', async () => {
  const gateway = await testGateway({
    plugins: [memory({}), localSealer({ masterKey: '0'.repeat(64) }), responses({}), sandbox({}), sharedState({})],
  })
  const reply = await gateway.request('/v1/responses', { body: { model: 'sandbox/echo', input: 'Hello' } })
  assert.equal(reply.status, 200)
  await gateway.stop()
})
