import assert from 'node:assert/strict'
import { test } from 'node:test'
import embeddings from 'turnpike/plugins/endpoints/embeddings'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { conformance, testGateway } from 'turnpike/testing'
import retrieval from '../retrieval.ts'

interface Reply {
  readonly data: readonly { readonly embedding: readonly number[] }[]
}

await conformance(retrieval({}), { test })

test('each text gets its vector', async () => {
  const gateway = await testGateway({
    plugins: [memory({}), localSealer({ masterKey: '0'.repeat(64) }), embeddings({}), retrieval({})],
  })
  const reply = await gateway.request('/v1/embeddings', { body: { model: 'letters', input: ['ab', 'bbbb'] } })
  assert.equal(reply.status, 200)
  const { data } = (await reply.json()) as Reply
  assert.deepEqual(
    data.map(({ embedding }) => embedding.slice(0, 3)),
    [
      [0.5, 0.5, 0],
      [0, 1, 0],
    ],
  )
  await gateway.stop()
})
