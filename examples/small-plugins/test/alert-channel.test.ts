import assert from 'node:assert/strict'
import { test } from 'node:test'
import responses from 'turnpike/plugins/endpoints/responses'
import sandbox from 'turnpike/plugins/providers/sandbox'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { conformance, testGateway } from 'turnpike/testing'
import alertChannel from '../alert-channel.ts'

const plugins = () => [memory({}), localSealer({ masterKey: '0'.repeat(64) }), responses({})]
const base = [...plugins(), sandbox({})]

await conformance(alertChannel({}), { test })

test('the alert channel is there', async () => {
  const { gateway, stop } = await testGateway({ plugins: [...base, alertChannel({})] })
  assert.ok(gateway.contributions.some(({ contract, name }) => contract === 'AlertChannels' && name === 'acme-alerts'))
  await stop()
})
