/**
 * `text + piece`, for text that comes in small pieces and is kept for long. V8 puts off joining until someone reads the text,
 * and until then each piece of 5 characters takes some 50 bytes. Reading it each time it has grown by an eighth keeps the cost linear.
 */
export function appended(text: string, piece: string): string {
  const longer = text + piece
  // Long pieces cost little more than their length, and unjoined they are shared by all who keep them.
  if (piece.length > longestSmallPiece) return longer
  const step = Math.max(smallestStep, 2 ** (28 - Math.clz32(longer.length)))
  if (Math.floor(longer.length / step) !== Math.floor(text.length / step)) firstCharacter = longer.charCodeAt(0)
  return longer
}

const smallestStep = 4096
const longestSmallPiece = 128

/** Kept, or else the compiler would leave out the reading. */
export let firstCharacter = 0
