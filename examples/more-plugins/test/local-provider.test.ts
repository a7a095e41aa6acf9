import assert from 'node:assert/strict'
import { test } from 'node:test'
import responses from 'turnpike/plugins/endpoints/responses'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { conformance, testGateway } from 'turnpike/testing'
import localProvider from '../local-provider.ts'

await conformance(localProvider({}), { test })

test('the model answers backwards, streamed or not', async () => {
  const gateway = await testGateway({
    plugins: [memory({}), localSealer({ masterKey: '0'.repeat(64) }), responses({}), localProvider({})],
  })
  for (const stream of [false, true]) {
    const reply = await gateway.request('/v1/responses', { body: { model: 'reverse', input: 'desserts', stream } })
    assert.equal(reply.status, 200)
    assert.match(await reply.text(), /"text":"stressed"/)
  }
  await gateway.stop()
})
