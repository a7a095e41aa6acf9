/** An encoder's time grows with the square of the longest run without a break. Slices of this length keep it short for any text. */
const maxSliceLength = 512

/**
 * Cuts a text into slices that can be encoded separately. The count changes only if a run of more than `longest` characters has no word
 * break.
 */
export function* slices(text: string, longest = maxSliceLength): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = text.length - start > longest ? cut(text, start, start + longest) : text.length
    yield text.slice(start, end)
    start = end
  }
}

/** The last position where the vocabularies' patterns always break: before a single space followed by a word. */
function cut(text: string, start: number, end: number): number {
  for (let index = end - 1; index > start; index--) if (text[index] === ' ' && /\S/.test(text[index + 1]!)) return index
  return splitsPair(text, end) ? end - 1 : end
}

function splitsPair(text: string, index: number): boolean {
  return isBetween(text.charCodeAt(index - 1), 0xd800, 0xdbff) && isBetween(text.charCodeAt(index), 0xdc00, 0xdfff)
}

function isBetween(code: number, first: number, last: number): boolean {
  return code >= first && code <= last
}
