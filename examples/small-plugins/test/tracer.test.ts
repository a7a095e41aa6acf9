import assert from 'node:assert/strict'
import { test } from 'node:test'
import responses from 'turnpike/plugins/endpoints/responses'
import sandbox from 'turnpike/plugins/providers/sandbox'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { conformance, testGateway } from 'turnpike/testing'
import tracer from '../tracer.ts'

const plugins = () => [memory({}), localSealer({ masterKey: '0'.repeat(64) }), responses({})]
const base = [...plugins(), sandbox({})]
const body = { model: 'sandbox/echo', input: 'the launch code' }

test('the tracer prints a line for the attempt and one for the call', async () => {
  const gateway = await testGateway({ plugins: [...base, tracer({})] })
  await gateway.request('/v1/responses', { body })
  const lines = gateway.logs.map(line => JSON.parse(line) as Record<string, unknown>).filter(({ request }) => request !== undefined)
  assert.deepEqual(
    lines.map(({ message, outcome }) => [message, outcome]),
    [
      ['attempt', 'ok'],
      ['generation', 'ok'],
    ],
  )
  await gateway.stop()
})

await conformance(tracer({}), { test })
