import assert from 'node:assert/strict'
import { test } from 'node:test'
import responses from 'turnpike/plugins/endpoints/responses'
import sandbox from 'turnpike/plugins/providers/sandbox'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { conformance, testGateway } from 'turnpike/testing'
import calmWords from '../calm-words.ts'

await conformance({ plugin: calmWords({}) }, { test })

test('the model sees the other word', async () => {
  const gateway = await testGateway({
    plugins: [memory({}), localSealer({ masterKey: '0'.repeat(64) }), responses({}), sandbox({}), calmWords({})],
  })
  const reply = await gateway.request('/v1/responses', { body: { model: 'sandbox/echo', input: 'I need this ASAP' } })
  assert.match(await reply.text(), /I need this soon/)
  await gateway.stop()
})
