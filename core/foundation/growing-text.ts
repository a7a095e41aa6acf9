/**
 * `text + piece`, for text that arrives in small pieces and is kept for long. V8 does not join the pieces until the text is read,
 * and until then a piece of 5 characters takes about 50 bytes. Reading the text whenever it has grown by an eighth keeps the cost linear.
 */
export function appended(text: string, piece: string): string {
  const longer = text + piece
  // Long pieces take little more than their length, and are shared as long as they are not joined.
  if (piece.length > longestSmallPiece) return longer
  const step = Math.max(smallestStep, 2 ** (28 - Math.clz32(longer.length)))
  if (Math.floor(longer.length / step) !== Math.floor(text.length / step)) firstCharacter = longer.charCodeAt(0)
  return longer
}

const smallestStep = 4096
const longestSmallPiece = 128

/** Exported so that the compiler cannot drop the read. */
export let firstCharacter = 0
