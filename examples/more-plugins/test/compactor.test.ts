import assert from 'node:assert/strict'
import { test } from 'node:test'
import responses from 'turnpike/plugins/endpoints/responses'
import sandbox from 'turnpike/plugins/providers/sandbox'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { conformance, testGateway } from 'turnpike/testing'
import compactor from '../compactor.ts'

await conformance(compactor({}), { test })

test('a conversation becomes one compaction, and goes on from there', async () => {
  const gateway = await testGateway({
    plugins: [memory({}), localSealer({ masterKey: '0'.repeat(64) }), responses({}), sandbox({}), compactor({})],
  })
  const model = 'sandbox/echo'
  const reply = await gateway.request('/v1/responses/compact', { body: { model, input: 'My train leaves at noon.' } })
  assert.equal(reply.status, 200)
  const { output } = (await reply.json()) as { readonly output: readonly { readonly type: string }[] }
  assert.equal(output.at(-1)?.type, 'compaction')
  const next = await gateway.request('/v1/responses', { body: { model, input: [...output, { role: 'user', content: 'When?' }] } })
  assert.equal(next.status, 200)
  await gateway.stop()
})
