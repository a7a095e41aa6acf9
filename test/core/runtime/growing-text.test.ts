import t from 'tap'
import { appended } from '../../../core/runtime/growing-text.ts'
import { longStrings } from '../../kit/held-memory.ts'

t.test('text that grows is what its pieces are', async t => {
  const pieces = Array.from({ length: 20_000 }, (_, index) => ['', 'a', ' word', '🙂', 'x'.repeat(index % 7 === 0 ? 300 : 1)][index % 5]!)
  t.equal(
    pieces.reduce((text, piece) => appended(text, { text: piece }), ''),
    pieces.join(''),
  )
})

t.test('texts that differ stay apart, whoever adds the same event to them', async t => {
  const event = { text: '!' }
  t.same(
    ['said', 'kept', 'said', 'said more', ''].map(text => appended(text, event)),
    ['said!', 'kept!', 'said!', 'said more!', '!'],
  )
})

t.test('text that two keep is in memory once', async t => {
  const kept = { said: '', shown: '' }
  for (let count = 0; count < 100_000; count++) {
    const event = { text: count === 0 ? 'demo-answer' : ' word' }
    kept.said = appended(kept.said, event)
    kept.shown = appended(kept.shown, event)
  }
  // Another text takes the place of the last one.
  appended('', { text: 'x' })
  t.equal(kept.said.at(-1), kept.shown.at(-1))
  t.equal(longStrings('demo-answer', 400_000), 1)
})
