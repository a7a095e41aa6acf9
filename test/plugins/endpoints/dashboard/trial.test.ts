import t from 'tap'
import { addressed, bodyOf, errorIn, pretty, textAt } from '../../../../plugins/endpoints/dashboard/app/pages/playground/trial.ts'

t.test('texts are found by their paths', async t => {
  const event = { choices: [{ delta: { content: 'a' } }, { delta: { content: 'b' } }, { delta: {} }], delta: 'no object' }
  t.equal(textAt(event, ['choices.*.delta.content']), 'ab')
  t.equal(textAt(event, ['delta.text', 'choices.*.delta.content']), 'ab')
  t.equal(textAt({ content: [{ text: 'x' }, { text: 7 }, null] }, ['content.*.text']), 'x', 'only texts')
  for (const other of [null, 'text', 7, [], {}, { choices: 'x' }])
    t.equal(textAt(other, ['choices.*.delta.content', 'constructor.name']), '')
  t.equal(errorIn({ type: 'error', error: { message: 'Too late.' } }), 'Too late.')
  t.equal(errorIn(event), undefined)
})

t.test('bodies', async t => {
  t.same(bodyOf('acme/m', '{"a":1}'), { model: 'acme/m', a: 1 })
  t.same(bodyOf('acme/m', '{"model":"own"}'), { model: 'own' }, 'a model in the body counts')
  for (const wrong of ['', '{', '[]', 'null', '7']) t.throws(() => bodyOf('m', wrong), /JSON/)
  t.same(addressed({ path: '/v1/a' }, { model: 'm' }), { path: '/v1/a', body: { model: 'm' } })
  t.same(addressed({ path: '/v1/{model}:x' }, { model: 'a/b', n: 1 }), { path: '/v1/a%2Fb:x', body: { n: 1 } })
})

t.test('vectors are cut', async t => {
  t.match(pretty({ v: Array.from({ length: 100 }, () => 0.5) }), /… 100 numbers/)
  t.same(JSON.parse(pretty({ v: [1, 2, 3] })), { v: [1, 2, 3] })
  t.ok(pretty({ text: 'x'.repeat(300_000) }).length < 210_000)
})
