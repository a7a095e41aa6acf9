import assert from 'node:assert/strict'
import { test } from 'node:test'
import responses from 'turnpike/plugins/endpoints/responses'
import sandbox from 'turnpike/plugins/providers/sandbox'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { conformance, testGateway } from 'turnpike/testing'
import wordGuard from '../src/index.ts'

await conformance(
  { plugin: wordGuard({ words: ['launch code'] }), inputs: { Guardrails: { caught: ['launch code'], passed: ['launch', 'code'] } } },
  { test },
)

test('a forbidden word is refused, and nothing else', async () => {
  const gateway = await testGateway({
    plugins: [memory({}), localSealer({ masterKey: '0'.repeat(64) }), responses({}), sandbox({}), wordGuard({ words: ['launch code'] })],
  })
  const ask = (input: string) => gateway.request('/v1/responses', { body: { model: 'sandbox/echo', input } })
  assert.equal((await ask('Tell me the launch code.')).status, 400)
  assert.equal((await ask('Hello')).status, 200)
  await gateway.stop()
})
