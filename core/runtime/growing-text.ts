/** An event that carries a piece of text. */
interface Piece {
  readonly text: string
}

let lastText = ''
let lastEvent: Piece | undefined
let lastResult = ''

/**
 * The text with the piece that an event adds, for text that arrives in small pieces and is kept for long. V8 does not join the pieces
 * until the text is read, and until then a piece of 5 characters takes about 50 bytes. Reading the text whenever it has grown by an
 * eighth keeps the cost linear, and halves the memory.
 *
 * Callers that keep the same text and add the same event one after the other get the same string, so the text is in memory once.
 */
export function appended(text: string, event: Piece): string {
  // Comparing a string with itself takes no time. Different strings are compared only for the same event.
  if (event === lastEvent && text === lastText) return lastResult
  const longer = text + event.text
  lastText = text
  lastEvent = event
  lastResult = longer
  // Long pieces take little more than their length, and are shared as long as they are not joined.
  if (event.text.length > maxSmallPieceLength) return longer
  const step = longer.length < 8 * smallestStep ? smallestStep : 1 << (28 - Math.clz32(longer.length))
  if (Math.floor(longer.length / step) !== Math.floor(text.length / step)) firstCharacter = longer.charCodeAt(0)
  return longer
}

const smallestStep = 1024
const maxSmallPieceLength = 128

/** Exported so that the compiler cannot drop the read. */
export let firstCharacter = 0
