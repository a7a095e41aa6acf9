import t from 'tap'
import type { Endpoint } from '../../../core/index.ts'
import type { EmbeddingRequest } from '../../../core/kit.ts'
import { batches } from '../../../core/retrieval/batches.ts'

const endpoint = (more: Partial<Endpoint> = {}): Endpoint => ({
  provider: 'acme',
  model: 'm',
  upstreamModel: 'm',
  listed: true,
  capabilities: {},
  zdr: false,
  hipaa: false,
  ...more,
})
const request = (count: number, more: Partial<EmbeddingRequest> = {}): EmbeddingRequest => ({
  model: 'm',
  format: 'base64',
  input: Array.from({ length: count }, (_, index) => `text ${index}`),
  ...more,
})
const sizes = (...asked: Parameters<typeof batches>): readonly number[] => batches(...asked).map(({ input }) => input.length)

t.test('a batch within the limits is one request', async t => {
  const whole = request(2_048)
  t.equal(batches(whole, {}, endpoint({ dimensions: 3_072 }))[0], whole)
})

t.test('inputs, in order', async t => {
  t.same(sizes(request(250), { inputs: 100 }, endpoint()), [100, 100, 50])
  t.same(
    batches(request(5), { inputs: 2 }, endpoint()).flatMap(({ input }) => input),
    request(5).input,
  )
})

t.test('tokens: one input always goes', async t => {
  const input = ['x'.repeat(10), 'x'.repeat(10), 'x'.repeat(100), [1, 2, 3]]
  t.same(sizes(request(0, { input }), { tokens: 10 }, endpoint()), [2, 1, 1])
})

t.test('numbers: written out, they take more room than in base64', async t => {
  t.same(sizes(request(200, { format: 'float' }), {}, endpoint({ dimensions: 3_072 })), [97, 97, 6])
  t.same(sizes(request(2_048, { format: 'float', dimensions: 100 }), {}, endpoint({ dimensions: 3_072 })), [2_048])
  t.same(sizes(request(100, { format: 'float' }), {}, endpoint()), [73, 27])
})
