/** A string or a number of a JSON document. */
export interface JsonText {
  /** A string without its escapes, or a number as it is written. */
  readonly text: string
  /** Puts a string in its place. */
  replace(text: string): void
}

export interface JsonTexts {
  readonly texts: readonly JsonText[]
  /** The document with what was replaced. Everything else stays as it was written: spaces, repeated members, long numbers. */
  written(): string
}

/** Strings, names of members included, and numbers of four digits or more. */
const literal = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]{3,}/gs

/** Undefined if the text is not a JSON object or array. */
export function jsonTexts(document: string): JsonTexts | undefined {
  if (!/^\s*[[{]/.test(document) || !isJson(document)) return undefined
  const pieces: string[] = []
  const texts: JsonText[] = []
  let from = 0
  for (const { 0: match, index } of document.matchAll(literal)) {
    pieces.push(document.slice(from, index), match)
    const at = pieces.length - 1
    from = index + match.length
    texts.push({
      text: match.startsWith('"') ? JSON.parse(match) : match,
      replace: text => void (pieces[at] = JSON.stringify(text)),
    })
  }
  pieces.push(document.slice(from))
  return { texts, written: () => pieces.join('') }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
