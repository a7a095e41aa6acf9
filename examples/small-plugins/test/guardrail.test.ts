import assert from 'node:assert/strict'
import { test } from 'node:test'
import responses from 'turnpike/plugins/endpoints/responses'
import sandbox from 'turnpike/plugins/providers/sandbox'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { conformance, testGateway } from 'turnpike/testing'
import guardrail from '../guardrail.ts'

const plugins = () => [memory({}), localSealer({ masterKey: '0'.repeat(64) }), responses({})]
const base = [...plugins(), sandbox({})]
const body = { model: 'sandbox/echo', input: 'the launch code' }

await conformance(
  { plugin: guardrail({ words: ['launch code'] }), inputs: { Guardrails: { caught: ['launch code'], passed: ['launch', 'code'] } } },
  { test },
)

test('the guardrail refuses a forbidden word, for keys with redaction only', async () => {
  for (const [redaction, status] of [
    [true, 400],
    [false, 200],
  ] as const) {
    const gateway = await testGateway({
      plugins: [...base, guardrail({ words: ['launch code'] })],
      key: { policy: { redaction: { value: redaction } } },
    })
    assert.equal((await gateway.request('/v1/responses', { body })).status, status)
    assert.equal((await gateway.request('/v1/responses', { body: { ...body, input: 'hello' } })).status, 200)
    await gateway.stop()
  }
})
