/** Postgres has no NUL in text, and UTF-8 no half of a surrogate pair. Both become the replacement character. */
export function storableText(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd').toWellFormed() : text.toWellFormed()
}
