import t from 'tap'
import { appended } from '../../core/foundation/growing-text.ts'

t.test('text that grows is what its pieces are', async t => {
  const pieces = Array.from({ length: 20_000 }, (_, index) => ['', 'a', ' word', '🙂', 'x'.repeat(index % 7 === 0 ? 300 : 1)][index % 5]!)
  t.equal(pieces.reduce(appended, ''), pieces.join(''))
})
