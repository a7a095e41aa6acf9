import t from 'tap'
import { gateway } from '../../kit/gateway.ts'
import { ask, listing, stop, text, witness } from '../../kit/stage.ts'
import { formatOf } from './structured-output-stage.ts'

t.test('a schema that the model does not follow counts neither against the endpoint nor its provider', async t => {
  const capabilities = { structuredOutput: 'none' } as const
  const acme = witness('acme', () => [text('{"a": 1}'), stop])
  const globex = witness('globex', () => [text('Hello'), stop])
  const models = ['m', 'n'].map(model => ({
    model,
    endpoints: [
      { provider: 'acme', capabilities },
      { provider: 'globex', capabilities },
    ],
  }))
  const under = await gateway({ plugins: [acme.plugin, globex.plugin, listing(...models)], settings: { logLevel: 'silent' } })
  t.teardown(under.stop)
  const other = await under.gateway.issueKey({ name: 'other' })
  const format = formatOf({ type: 'object', required: ['never'], properties: { never: { type: 'string' } } })
  for (let round = 0; round < 12; round++) {
    const stream = round % 6 === 0
    const { status, headers } = await ask(under, { model: `acme/${round < 6 ? 'm' : 'n'}`, stream, text: { format } })
    if (!stream) t.same([status, headers.get('x-gateway-attempts')], [424, '1'])
  }
  for (const model of ['m', 'n']) {
    const { headers } = await ask(under, { model }, { authorization: `Bearer ${other}` })
    t.equal(headers.get('x-gateway-provider'), 'acme', 'the other key is served where it was served before')
  }
  const states = await under.gateway.providers()
  t.same(states.find(({ id }) => id === 'acme')!.circuits, [])
  const { candidates } = await under.gateway.routes({ model: 'm', sort: 'uptime' })
  t.match(candidates[0], { provider: 'acme', uptime: 1 })
})
