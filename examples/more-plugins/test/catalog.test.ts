import assert from 'node:assert/strict'
import { test } from 'node:test'
import models from 'turnpike/plugins/endpoints/models'
import responses from 'turnpike/plugins/endpoints/responses'
import sandbox from 'turnpike/plugins/providers/sandbox'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { conformance, testGateway } from 'turnpike/testing'
import catalog from '../catalog.ts'

await conformance(catalog({ provider: 'sandbox' }), { test })

test('the model is listed, and answers under both of its names', async () => {
  const gateway = await testGateway({
    plugins: [
      memory({}),
      localSealer({ masterKey: '0'.repeat(64) }),
      responses({}),
      models({}),
      sandbox({}),
      catalog({ provider: 'sandbox' }),
    ],
  })
  assert.match(await (await gateway.request('/v1/models')).text(), /"house-model"/)
  for (const model of ['house-model', 'house']) {
    const reply = await gateway.request('/v1/responses', { body: { model, input: 'Hello' } })
    assert.equal(reply.status, 200)
    assert.match(await reply.text(), /"model":"sandbox\/house-model"/)
  }
  await gateway.stop()
})
