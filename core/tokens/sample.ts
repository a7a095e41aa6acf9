import type { Random } from '../foundation/random.ts'

/** Texts up to this length are counted whole. */
const maxCharacters = 1 << 18
const pieces = 64
const pieceCharacters = maxCharacters / pieces

/** Texts, or pieces of them from all over, at random places: who writes a text cannot know which of it counts. */
export interface Sample {
  readonly texts: readonly string[]
  /** How many times as long the whole is. */
  readonly factor: number
}

/** So much of the texts that counting takes little time and memory however long they are. */
export function sampleOf(texts: readonly string[], random: Random): Sample {
  const total = texts.reduce((sum, { length }) => sum + length, 0)
  if (total <= maxCharacters) return { texts, factor: 1 }
  const stride = total / pieces
  const sample: string[] = []
  let index = 0
  let before = 0
  for (let piece = 0; piece < pieces; piece++) {
    const start = Math.min(total - 1, Math.floor((piece + random()) * stride))
    while (start >= before + texts[index]!.length) before += texts[index++]!.length
    sample.push(copyOf(texts[index]!.slice(start - before, start - before + pieceCharacters)))
  }
  return { texts: sample, factor: total / sample.reduce((sum, { length }) => sum + length, 0) }
}

/** V8's slices keep the whole text in memory. */
function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}
