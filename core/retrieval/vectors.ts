import type { Vector } from '../contracts/embedding.ts'

/** The JSON text of a vector, as an array of numbers. What a vendor sent as text stays as it is. */
export function vectorJson(vector: Vector): string {
  if (typeof vector === 'string') return numbersText(decodedVector(vector))
  if (vector instanceof Float32Array) return numbersText(vector)
  return Array.isArray(vector) ? JSON.stringify(vector) : (vector as { readonly json: string }).json
}

/** A vector as little-endian 32-bit floats in base64. */
export function vectorBase64(vector: Vector): string {
  if (typeof vector === 'string') return vector
  const floats = vector instanceof Float32Array ? vector : Float32Array.from(numbersOf(vector))
  return Buffer.from(floats.buffer, floats.byteOffset, floats.byteLength).toString('base64')
}

function numbersOf(vector: Exclude<Vector, string>): readonly number[] {
  return 'json' in vector ? (JSON.parse(vector.json) as readonly number[]) : (vector as readonly number[])
}

function decodedVector(base64: string): Float32Array {
  const bytes = Buffer.from(base64, 'base64')
  // A copy, because a view must begin at a multiple of four bytes.
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength - (bytes.byteLength % 4)))
}

/** JSON has no NaN and no Infinity. */
function numbersText(floats: Float32Array): string {
  let text = '['
  for (let index = 0; index < floats.length; index++) {
    const value = floats[index]!
    text += (index > 0 ? ',' : '') + (Number.isFinite(value) ? String(value) : 'null')
  }
  return `${text}]`
}
