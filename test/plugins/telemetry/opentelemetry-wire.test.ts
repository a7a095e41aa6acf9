import t from 'tap'
import { Meters } from '../../../plugins/telemetry/opentelemetry/meters.ts'
import { conventions } from '../../../plugins/telemetry/opentelemetry/conventions.ts'
import { Counter } from '../../../plugins/telemetry/opentelemetry/instrument.ts'
import { names } from '../../../plugins/telemetry/opentelemetry/names.ts'
import { Attribute } from '../../../plugins/telemetry/opentelemetry/wire/attribute.ts'
import { Envelope, itemField } from '../../../plugins/telemetry/opentelemetry/wire/envelope.ts'
import { rejectedIn } from '../../../plugins/telemetry/opentelemetry/wire/partial-success.ts'
import { bytesOf, sizeOf, Writer } from '../../../plugins/telemetry/opentelemetry/wire/writer.ts'
import { attributesOf, decode, itemsOf } from './otlp.ts'

const envelope = new Envelope([[new Attribute('service.name'), 'demo']], 'demo', '1')

function written(write: (writer: Writer) => void): Record<string, any> {
  const writer = new Writer()
  const start = writer.open(itemField)
  write(writer)
  writer.close(start)
  return itemsOf('traces', decode('traces', envelope.around(writer.take())))[0]!
}

t.test('texts and numbers of every size arrive', async t => {
  const texts = [
    '',
    'a',
    'é',
    '€',
    '😀',
    '\ud800',
    'a'.repeat(63),
    'é'.repeat(40),
    'x'.repeat(127),
    'x'.repeat(128),
    'y'.repeat(20_000),
    'ü'.repeat(3_000_000),
  ]
  for (const text of texts) {
    t.equal(bytesOf(text), Buffer.byteLength(text))
    const span = written(writer => {
      writer.text(5, text)
      new Attribute('demo').text(writer, 9, text)
    })
    t.ok(span['name'] === text.toWellFormed())
    t.ok(attributesOf(span)['demo'] === text.toWellFormed())
  }
  for (const number of [
    0,
    1,
    127,
    128,
    16_383,
    16_384,
    2_097_151,
    2_097_152,
    2 ** 31,
    2 ** 32 - 1,
    2 ** 32,
    2 ** 40 + 5,
    Number.MAX_SAFE_INTEGER,
  ]) {
    const writer = new Writer()
    writer.varint(number)
    t.equal(writer.length, sizeOf(number), String(number))
    t.equal(attributesOf(written(within => new Attribute('demo').integer(within, 9, number)))['demo'], number)
  }
  for (const bad of [-1, NaN, 1.5, Infinity, 2 ** 60])
    t.equal(attributesOf(written(within => new Attribute('demo').integer(within, 9, bad)))['demo'], 0)
  const values = written(writer => {
    new Attribute('double').double(writer, 9, -0.25)
    new Attribute('flag').flag(writer, 9, true)
    new Attribute('json').json(writer, 9, { a: [1, -1, 'é', null, true, { b: undefined, c: '' }] })
  })
  t.same(attributesOf(values), { double: -0.25, flag: true, json: { a: [1, -1, 'é', null, true, { c: '' }] } })
})

t.test('an item that failed half-way is forgotten', async t => {
  const writer = new Writer()
  writer.text(5, 'whole')
  const { length } = writer
  writer.open(2)
  writer.text(5, 'half')
  writer.cutTo(length)
  t.equal(writer.take().toString('latin1').slice(2), 'whole')
})

t.test('replies of collectors: how many were rejected, or undefined', async t => {
  const bytes = (...values: number[]) => Uint8Array.from(values)
  t.equal(rejectedIn(bytes()), 0)
  t.equal(rejectedIn(bytes(0x0a, 0x00)), 0)
  t.equal(rejectedIn(bytes(0x0a, 0x03, 0x08, 0xac, 0x02)), 300)
  t.equal(rejectedIn(bytes(0x0a, 0x04, 0x12, 0x02, 0x68, 0x69)), 0, 'only a sentence: a warning')
  t.equal(rejectedIn(bytes(0x10, 0x07)), 0, 'another field')
  for (const bad of [
    bytes(0x0a, 0x7f),
    bytes(0x0a),
    bytes(0x08, 0x01),
    bytes(0xff, 0xff),
    Buffer.from('not a message'),
    bytes(...Array(20).fill(0xff)),
  ])
    t.equal(rejectedIn(bad), undefined)
})

t.test('a metric has at most 2,000 series, and endpoints at most 1,000', async t => {
  const counter = new Counter({ name: 'demo', unit: '1', about: 'Demo.' })
  for (let index = 0; index < 5_000; index++) counter.with([[names.tool, `tool-${index}`]]).add(1)
  counter.with([[names.tool, 'tool-7']]).add(1)
  const writer = new Writer()
  counter.write(writer, 0, 1)
  const [metric] = itemsOf('metrics', decode('metrics', envelope.around(writer.take())))
  const points = metric!['sum'].data_points
  t.equal(points.length, 2_001)
  t.match(attributesOf(points.at(-1)), { 'otel.metric.overflow': true })
  t.equal(points.at(-1).as_double, 3_000)
  t.equal(points[7].as_double, 2)

  const meters = new Meters(conventions['1.41'], 0)
  for (let index = 0; index < 3_000; index++) meters.endpoint('generation', 'acme', `m-${index}`)
  t.equal(meters.endpoint('generation', 'acme', 'm-2999'), meters.endpoint('generation', 'acme', null))
  t.ok(Buffer.from(meters.endpoint('generation', 'acme', 'm-7').spanFacts).includes('chat m-7'))
})
