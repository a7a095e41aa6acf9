import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import responses from 'turnpike/plugins/endpoints/responses'
import sandbox from 'turnpike/plugins/providers/sandbox'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { conformance, fakeUpstream, testGateway } from 'turnpike/testing'
import weather from '../weather.ts'

const tools = [{ type: 'get_weather', units: 'metric' }]

const sunny = await fakeUpstream(() => ({ headers: { 'content-type': 'application/json' }, body: '{"temperature":21,"sky":"clear"}' }))
after(() => sunny.close())

await conformance(
  {
    plugin: weather({ baseUrl: sunny.url }),
    inputs: {
      Tools: {
        examples: [{ entry: tools[0]!, name: 'get_weather', arguments: { place: 'Lisbon' }, output: '"temperature":21' }],
        badEntries: [{ type: 'get_weather', units: 'kelvin' }],
      },
    },
  },
  { test },
)

test('the gateway asks the service, and the model answers with the report', async () => {
  const service = await fakeUpstream([
    { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ temperature: 21, sky: 'clear' }) },
  ])
  const gateway = await testGateway({
    plugins: [memory({}), localSealer({ masterKey: '0'.repeat(64) }), responses({}), sandbox({}), weather({ baseUrl: service.url })],
  })
  const ask = async (body: object) => {
    const reply = await gateway.request('/v1/responses', { body: { model: 'sandbox/tools', input: 'How is it in Lisbon?', ...body } })
    return { status: reply.status, body: (await reply.json()) as any }
  }

  const { body } = await ask({ tools })
  assert.match(body.output.at(-1).content[0].text, /get_weather returned: .*"temperature":21/s)
  assert.deepEqual(body.usage.tool_calls, { get_weather: 1 })
  assert.match(service.requests[0]!.url, /^\/weather\?place=.*&units=metric$/)

  const bad = await ask({ tools: [{ type: 'get_weather', units: 'kelvin' }] })
  assert.equal(bad.status, 400)
  assert.equal(bad.body.error.param, 'tools[0].units')

  await gateway.stop()
  await service.close()
})
