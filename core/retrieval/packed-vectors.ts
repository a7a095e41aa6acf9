import type { Vector } from '../contracts/embedding.ts'
import { nextTurn } from '../runtime/turns.ts'

/** The characters of a batch from which its vectors are packed. */
const largeCharacters = 20_000_000
/** V8 reads so many characters of numbers in 2 ms. */
const charactersInSlice = 200_000

/** True if the vectors of a whole batch take too much memory as text. `inputs`: of the batch. */
export function isLarge([first]: readonly Vector[], inputs: number): boolean {
  return isText(first) && first.json.length * inputs > largeCharacters
}

/** The vectors as 32-bit floats, which take a fifth of the memory of their text. Waits for its turns. */
export async function packedVectors(vectors: readonly Vector[]): Promise<readonly Vector[]> {
  const packed: Vector[] = []
  let characters = charactersInSlice
  for (const vector of vectors) {
    if (!isText(vector)) {
      packed.push(vector)
      continue
    }
    if (characters >= charactersInSlice) {
      characters = 0
      await nextTurn()
    }
    characters += vector.json.length
    packed.push(Float32Array.from(JSON.parse(vector.json) as readonly number[]))
  }
  return packed
}

/** An estimate of the memory that vectors take. */
export function bytesOf(vectors: readonly Vector[]): number {
  return vectors.reduce(
    (sum, vector) => sum + (vector instanceof Float32Array ? vector.byteLength : isText(vector) ? vector.json.length : vector.length),
    0,
  )
}

function isText(vector: Vector | undefined): vector is { readonly json: string } {
  return typeof vector === 'object' && 'json' in vector
}
