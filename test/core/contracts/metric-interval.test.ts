import t from 'tap'
import { intervalMsOf } from '../../../core/kit.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

t.test('an interval is a number and a unit', async t => {
  const lengths: Readonly<Record<string, number>> = {
    '0m': 0,
    '1m': minute,
    '15 minutes': 15 * minute,
    '1h': hour,
    '1 hour': hour,
    '2 hours': 2 * hour,
    '30d': 30 * day,
    '1 day': day,
    '2w': 14 * day,
    '1 week': 7 * day,
    '1y': 365 * day,
    '3 years': 3 * 365 * day,
    [`${'9'.repeat(400)}y`]: Infinity,
  }
  for (const [text, ms] of Object.entries(lengths)) t.equal(intervalMsOf(text), ms, text.slice(0, 20))
})

t.test('anything else is none', async t => {
  for (const text of ['', 'm', '15', '1 minute', '1 m', '-1h', '1.5h', '1s', '1month', ' 1h', '1h ', '1h\n', '１h'])
    t.equal(intervalMsOf(text), undefined, JSON.stringify(text))
})
