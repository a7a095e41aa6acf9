import t from 'tap'
import { bytesOf, isLarge, packedVectors } from '../../../core/retrieval/packed-vectors.ts'
import { vectorBase64, vectorJson } from '../../../core/retrieval/vectors.ts'

const numbers = [0, -0.5, Math.fround(0.1), Math.fround(-1e-30), 3.4028234663852886e38]
const floats = Float32Array.from(numbers)
const base64 = Buffer.from(floats.buffer).toString('base64')

t.test('every form of a vector becomes numbers and base64', async t => {
  for (const vector of [numbers, floats, base64, { json: JSON.stringify(numbers) }]) {
    t.same(JSON.parse(vectorJson(vector)), numbers)
    t.equal(vectorBase64(vector), base64)
  }
  t.equal(vectorJson({ json: '[1.50,2e0]' }), '[1.50,2e0]', "a vendor's text stays as it is")
})

t.test('base64 in a larger buffer, and bytes beyond the last number', async t => {
  const odd = Buffer.concat([Buffer.from(floats.buffer), Buffer.from([1, 2])])
  t.same(JSON.parse(vectorJson(odd.toString('base64'))), numbers)
  t.equal(vectorBase64(floats.subarray(1)), Buffer.from(floats.buffer, 4).toString('base64'))
})

t.test('what JSON cannot say is null', async t => {
  t.equal(vectorJson(Float32Array.from([1, Number.NaN, Infinity])), '[1,null,null]')
})

t.test('vectors of a large batch are packed', async t => {
  const json = JSON.stringify(numbers)
  t.equal(isLarge([{ json }], 100), false)
  t.equal(isLarge([{ json }], 1_000_000), true)
  t.equal(isLarge([base64], 1_000_000), false)
  t.equal(isLarge([], 5), false)
  const packed = await packedVectors([{ json }, base64, numbers])
  t.same(packed, [floats, base64, numbers])
  t.equal(bytesOf(packed), floats.byteLength + base64.length + numbers.length)
})
