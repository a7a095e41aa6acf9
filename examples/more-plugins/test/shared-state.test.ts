import assert from 'node:assert/strict'
import { test } from 'node:test'
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

test('a gateway starts with it', async () => {
  const { gateway, stop } = await testGateway({
    plugins: [memory({}), localSealer({ masterKey: '0'.repeat(64) }), sharedState({})],
  })
  assert.ok(gateway.plugins.some(({ provides }) => provides.some(({ name }) => name === 'shared-state')))
  await stop()
})
