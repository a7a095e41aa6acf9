import fc from 'fast-check'
import t from 'tap'
import { readJson } from '../../../core/guards/json-reader.ts'
import { drained } from '../../../core/guards/steps.ts'
import { runs } from '../../kit/runs.ts'

const part = fc.constantFrom(
  ...'{}[]",:\\ \n\t\u00001-+.eEu0aé',
  '"a"',
  'true',
  'null',
  '1234',
  '-0',
  '"\\n"',
  '"\\u0040"',
  '{"a":1}',
  '[[]]',
)
const almost = fc.array(part, { maxLength: 12 }).map(parts => parts.join(''))
const cut = fc.tuple(fc.json(), fc.nat(40), fc.nat(40)).map(([json, from, to]) => json.slice(0, from) + json.slice(from + to))

function isDocument(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' || (typeof value === 'object' && value !== null)
  } catch {
    return false
  }
}

t.test('reads what JSON.parse reads, and writes it as it was', async () => {
  const text = fc.oneof(fc.json(), almost, cut)
  fc.assert(
    fc.property(text, json => {
      const document = drained(readJson(json))
      if ((document !== undefined) !== isDocument(json)) throw new Error(`read: ${document !== undefined}`)
      return document === undefined || drained(document.written()) === json
    }),
    runs(5_000),
  )
})

t.test('strings have no escapes, and numbers are plain', async t => {
  const json = `{"a\\u0040b": [4111111111111111.0, 4.111111111111111e15, -1234, 123, 12.75, "${'x'.repeat(20_000)}\\n"], "a": ""}`
  const document = drained(readJson(json))!
  t.same(document.texts, ['a@b', '4111111111111111', '4111111111111111', '-1234', '12.75', `${'x'.repeat(20_000)}\n`, 'a', ''])
  document.replace(1, 'one')
  document.replace(6, '"b"')
  t.equal(drained(document.written()), json.replace('4111111111111111.0', '"one"').replace('"a":', '"\\"b\\"":'))
})
