import t from 'tap'
import { ItemStage } from '../../../core/generation/item-stage.ts'
import type { RaisedEvent } from '../../../core/generation/raised-event.ts'
import type { FinishReason } from '../../../core/index.ts'
import type { ItemEvent } from '../../../core/kit.ts'

/** The item events of a stage for these events, one short word each. */
function told(events: readonly (RaisedEvent | 'pause')[], finish: FinishReason = 'stop'): readonly string[] {
  let made = 0
  const words: string[] = []
  const stage = new ItemStage({ make: prefix => `${prefix}_${++made}` }, event => words.push(wordOf(event)))
  for (const event of events) {
    if (event === 'pause') stage.pause()
    else stage.write(event)
  }
  stage.end(finish)
  return words
}

function wordOf(event: ItemEvent): string {
  if (event.type === 'item-open') return `<${event.item.kind}${'name' in event.item ? ` ${event.item.name}` : ''}`
  if (event.type === 'item-close') return event.status === 'completed' ? '>' : 'cut>'
  return 'text' in event ? event.text : event.type
}

const text = (said: string): RaisedEvent => ({ type: 'text', text: said })
const thought = (said: string, form: 'summary' | 'full' = 'full'): RaisedEvent => ({ type: 'reasoning', text: said, form })
const call = (key: string, more: object = {}): RaisedEvent => ({ type: 'tool-call', key, callId: key, name: key, ...more })
const input = (key: string, said: string): RaisedEvent => ({ type: 'tool-input', key, text: said })
const end: RaisedEvent = { type: 'item-end' }

t.test('an item closes when another opens', async t => {
  t.same(told([thought('a'), text('b'), text('c'), call('f'), input('f', '{}')]), [
    '<reasoning', 'a', '>', '<message', 'b', 'c', '>', '<call f', '{}', '>',
  ]) // prettier-ignore
  t.same(told([text('a'), end, text('b')]), ['<message', 'a', '>', '<message', 'b', '>'])
  t.same(told([thought('a'), thought('b', 'summary')]), ['<reasoning', 'a', '>', '<reasoning', 'b', '>'])
  t.same(told([thought('a'), { type: 'reasoning-state', opaque: 's' }, thought('b')]), [
    '<reasoning', 'a', 'reasoning-state', '>', '<reasoning', 'b', '>',
  ]) // prettier-ignore
})

t.test('events that interleave with an incomplete call wait', async t => {
  t.same(told([call('f'), input('f', '{"a"'), call('g'), input('g', '{}'), input('f', ':1}')]), [
    '<call f', '{"a"', ':1}', '>', '<call g', '{}', '>',
  ]) // prettier-ignore
  t.same(told([call('f'), input('f', '{'), text('x'), end, input('f', '}')]), ['<call f', '{', '}', '>', '<message', 'x', '>'])
  t.same(told([call('f'), input('f', '{'), text('x'), 'pause', text('y')]), ['<call f', '{', '>', '<message', 'x', 'y', '>'])
  t.same(told([call('f', { custom: true }), input('f', '{}'), text('x'), end]), ['<call f', '{}', '>', '<message', 'x', '>'])
})

t.test('a key may name another call in the next round', async t => {
  t.same(told([call('f'), input('f', '{}'), call('f'), input('f', '[]')]), ['<call f', '{}', '>', '<call f', '[]', '>'])
})

t.test('the input of a wrapped call is told when its arguments are whole', async t => {
  const wrapped = call('f', { custom: true, wrapped: true })
  t.same(told([wrapped, input('f', '{"input":'), input('f', '"hi"}'), text('x')]), ['<call f', 'hi', '>', '<message', 'x', '>'])
  t.same(told([wrapped, input('f', '{"input":"h')], 'length'), ['<call f', '{"input":"h', 'cut>'])
})

t.test('a suppressed call leaves nothing but a boundary', async t => {
  const suppressed: RaisedEvent = { type: 'suppressed-call', key: 'f' }
  t.same(told([text('a'), suppressed, input('f', '{}'), text('b')]), ['<message', 'a', '>', '<message', 'b', '>'])
  t.same(told([call('g'), suppressed, input('g', '{}')]), ['<call g', '{}', '>'])
})

t.test('a search that never finished has failed, and the item that was cut off says so', async t => {
  const search: RaisedEvent = { type: 'search', key: 's', status: 'in_progress', action: { type: 'search', query: 'q' } }
  t.same(told([search, text('a')], 'length'), ['<message', 'a', '>', '<search', '>'])
  t.same(told([text('a')], 'content-filter'), ['<message', 'a', 'cut>'])
})

t.test('input for a call that is not open is a failure, white space is not', async t => {
  t.same(told([call('f'), input('f', '{}'), text('a'), input('f', ' \n')]), ['<call f', '{}', '>', '<message', 'a', '>'])
  t.throws(() => told([input('f', 'x')]), { message: /not open/ })
  t.throws(() => told([call('f'), input('f', '{}'), text('a'), input('f', 'x')]), { message: /not open/ })
})
