import assert from 'node:assert/strict'
import { test } from 'node:test'
import sandbox from 'turnpike/plugins/providers/sandbox'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { conformance, testGateway } from 'turnpike/testing'
import plugin from '../src/index.ts'

await conformance(plugin({}), { test })

test('a text gets a text, and a bad request an error that names the member', async () => {
  const gateway = await testGateway({ plugins: [memory({}), localSealer({ masterKey: '0'.repeat(64) }), sandbox({}), plugin({})] })
  const ask = (body: object) => gateway.request('/v1/ask', { body })
  assert.deepEqual(await (await ask({ model: 'sandbox/echo', text: 'Hello' })).json(), { text: 'Hello' })
  for (const [body, status, said] of [
    [{ model: 'sandbox/echo' }, 400, /Expected a text/],
    [{ model: 'sandbox/nothing', text: 'Hello' }, 400, /model_not_found/],
  ] as const) {
    const reply = await ask(body)
    assert.equal(reply.status, status)
    assert.match(await reply.text(), said)
  }
  await gateway.stop()
})
