import t from 'tap'
import { isTraceparent, traceContext } from '../../../core/call/trace-context.ts'

const trace = '0af7651916cd43dd8448eb211c80319c'
const span = 'b7ad6b7169203331'

t.test('a header `traceparent` is read as W3C Trace Context says', async t => {
  t.same(traceContext(`00-${trace}-${span}-01`), { traceId: trace, spanId: span, isSampled: true })
  t.same(traceContext(`00-${trace}-${span}-00`), { traceId: trace, spanId: span, isSampled: false })
  t.match(traceContext(`00-${trace}-${span}-03`), { isSampled: true })
  t.match(traceContext(`00-${trace}-${span}-fe`), { isSampled: false })
  // Later versions may add members, and are read as far as this one goes.
  t.match(traceContext(`cc-${trace}-${span}-01`), { traceId: trace })
  t.match(traceContext(`cc-${trace}-${span}-01-what-the-future-will-be-like`), { traceId: trace })
})

t.test('a header that is not valid is none', async t => {
  const bad = [
    null,
    undefined,
    '',
    'text',
    `ff-${trace}-${span}-01`,
    `00-${trace}-${span}-01-more`,
    `00-${trace}-${span}-01-`,
    `00-${trace}-${span}-1`,
    `00-${trace}-${span}`,
    `0-${trace}-${span}-01`,
    `cc-${trace}-${span}-01.more`,
    `00-${trace.toUpperCase()}-${span}-01`,
    `00-${trace}-${span.toUpperCase()}-01`,
    `00-${'0'.repeat(32)}-${span}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace}-${span}-0g`,
    `00-${trace.slice(1)}-${span}-01`,
    `00_${trace}_${span}_01`,
    ` 00-${trace}-${span}-01`,
    `00-${trace}-${span}-01, 00-${trace}-${span}-01`,
    `cc-${trace}-${span}-01-${'x'.repeat(1_000_000)}`,
  ]
  for (const header of bad) t.equal(traceContext(header), null, String(header).slice(0, 80))
  t.ok(isTraceparent(`00-${trace}-${span}-01`))
  for (const value of [...bad, 7, {}, `cc-${trace}-${span}-01`, `00-${trace}-${span}-01\r\nx: y`]) t.notOk(isTraceparent(value))
})
