import assert from 'node:assert/strict'
import { test } from 'node:test'
import decisions from 'turnpike/plugins/endpoints/decisions'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { conformance, testGateway } from 'turnpike/testing'
import decisionClient from '../decision-client.ts'

interface Reply {
  readonly answers: Readonly<Record<string, { readonly noul?: number; readonly choice?: string }>>
}

await conformance({ plugin: decisionClient({}), inputs: { DecisionClients: { models: ['keywords'] } } }, { test })

test('it decides by the words of the state', async () => {
  const gateway = await testGateway({
    plugins: [memory({}), localSealer({ masterKey: '0'.repeat(64) }), decisions({}), decisionClient({})],
  })
  const reply = await gateway.request('/v1/systemone', {
    body: {
      model: 'acme-keywords/keywords',
      state: 'My invoice is wrong.',
      questions: {
        billing: { type: 'noul', instructions: 'Is it about an invoice?' },
        team: { type: 'choice', criteria: { sales: 'wants an offer', billing: 'a wrong invoice' } },
      },
    },
  })
  assert.equal(reply.status, 200)
  const { answers } = (await reply.json()) as Reply
  assert.equal(answers['billing']?.noul, 1)
  assert.equal(answers['team']?.choice, 'billing')
  await gateway.stop()
})
