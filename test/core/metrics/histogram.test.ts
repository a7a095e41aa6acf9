import t from 'tap'
import { ByteReader, ByteWriter } from '../../../core/metrics/varints.ts'
import { bucketOf, Histogram } from '../../../core/metrics/histogram.ts'

t.test('a histogram knows every quantile to 2 %', async t => {
  const histogram = new Histogram()
  t.equal(histogram.quantile(0.5), undefined)
  const values = Array.from({ length: 10_000 }, (_, index) => 0.5 * 1.0015 ** ((index * 7919) % 10_000))
  for (const value of values) histogram.add(bucketOf(value))
  const sorted = values.toSorted((a, b) => a - b)
  for (const percent of [0, 1, 5, 50, 90, 95, 99, 100]) {
    const exact = sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)]!
    const error = Math.abs(histogram.quantile(percent / 100)! / exact - 1)
    t.ok(error < 0.02, `p${percent} is off by ${(error * 100).toFixed(2)} %`)
  }
})

t.test('values of any size', async t => {
  const histogram = new Histogram()
  for (const value of [86_400_000, 0, 5, 0.001]) histogram.add(bucketOf(value))
  t.ok(histogram.quantile(0)! <= 0.1)
  t.ok(Math.abs(histogram.quantile(0.75)! / 5 - 1) < 0.02)
  t.ok(Math.abs(histogram.quantile(1)! / 86_400_000 - 1) < 0.02)
})

t.test('a merged histogram can be subtracted again', async t => {
  const [one, other] = [histogramOf(3, 3, 70, 900), histogramOf(0, 70, 86_400_000)]
  const sum = new Histogram()
  sum.merge(one)
  sum.merge(other)
  t.equal(sum.total, 7)
  sum.subtract(one)
  t.equal(sum.total, 3)
  for (const quantile of [0, 0.5, 1]) t.equal(sum.quantile(quantile), other.quantile(quantile))
})

t.test('bytes hold the same counts', async t => {
  for (const given of [histogramOf(), histogramOf(5), histogramOf(0, 1, 1, 1, 3_000, 86_400_000)]) {
    const writer = new ByteWriter()
    given.write(writer)
    const read = histogramOf(40)
    const reader = new ByteReader().reset(writer.bytes)
    read.read(reader)
    t.ok(reader.isAtEnd)
    read.subtract(histogramOf(40))
    t.equal(read.total, given.total)
    for (const quantile of [0, 0.2, 0.5, 0.8, 1]) t.equal(read.quantile(quantile), given.quantile(quantile))
  }
})

function histogramOf(...values: readonly number[]): Histogram {
  const histogram = new Histogram()
  for (const value of values) histogram.add(bucketOf(value))
  return histogram
}
