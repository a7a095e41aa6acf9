import assert from 'node:assert/strict'
import { test } from 'node:test'
import responses from 'turnpike/plugins/endpoints/responses'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { checkStream, conformance, fakeUpstream, testGateway, type FakeReply } from 'turnpike/testing'
import jobs from '../job-provider.ts'

const json = (body: object): FakeReply => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
const waiting = json({ id: 'job-7', state: 'waiting' })
const done = json({ id: 'job-7', state: 'done', text: 'Good morning', tokens: { in: 4, out: 2 } })

await conformance(jobs({ apiKey: 'sk-demo-acme-jobs', pollMs: 1 }), { test })

test('the provider asks until the answer is ready', async () => {
  await using upstream = await fakeUpstream([waiting, waiting, done])
  const gateway = await testGateway({
    plugins: [
      memory({}),
      localSealer({ masterKey: '0'.repeat(64) }),
      responses({}),
      jobs({ apiKey: 'sk-demo', baseUrl: upstream.url, pollMs: 1 }),
    ],
  })
  try {
    const reply = await gateway.request('/v1/responses', { body: { model: 'acme-jobs/slow-1', input: 'Hello', stream: true } })
    assert.equal(reply.status, 200)
    assert.match(JSON.stringify(checkStream(await reply.text()).items), /Good morning/)
    assert.deepEqual(
      upstream.requests.map(({ method, url }) => `${method} ${url}`),
      ['POST /jobs', 'GET /jobs/job-7', 'GET /jobs/job-7'],
    )
    assert.equal(upstream.requests[0]?.headers['x-acme-key'], 'sk-demo')
  } finally {
    await gateway.stop()
  }
})
