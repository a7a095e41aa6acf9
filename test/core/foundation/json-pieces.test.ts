import fc from 'fast-check'
import t from 'tap'
import { jsonPieces } from '../../../core/foundation/json-pieces.ts'

t.test('pieces of any length are together the JSON of the value', async t => {
  const tricky = fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', '\u0000', 'é', '数', '🙂', '\ud83d', '\ude42') })
  const value = fc.letrec(tie => ({
    any: fc.oneof(tricky, fc.jsonValue() as fc.Arbitrary<unknown>, fc.constant(undefined), tie('list'), tie('members')),
    list: fc.array(tie('any'), { maxLength: 5 }),
    members: fc.dictionary(tricky, tie('any'), { maxKeys: 5 }),
  })).any
  fc.assert(
    fc.property(value, fc.integer({ min: 1, max: 60 }), (value, length) => {
      t.equal([...jsonPieces({ value }, length)].join(''), JSON.stringify({ value }))
    }),
    { numRuns: 500 },
  )
})

t.test('no piece is much longer than asked for, unless its characters need escapes', async t => {
  const value = { text: 'x'.repeat(10_000), list: Array.from({ length: 1_000 }, (_, index) => `item ${index}`) }
  const lengths = [...jsonPieces(value, 500)].map(({ length }) => length)
  t.ok(lengths.length > 40, `${lengths.length} pieces`)
  t.ok(Math.max(...lengths) <= 2 * 500 + 2, `${Math.max(...lengths)} characters`)
})
