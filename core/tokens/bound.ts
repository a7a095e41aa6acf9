/** UTF-8 needs at most three bytes per UTF-16 unit. */
const bytesPerCharacter = 3

/** True if texts might have more than `limit` tokens. A token has at least one byte, so the length alone rules out most texts. */
export function mayExceed(texts: readonly string[], limit: number): boolean {
  let characters = 0
  for (const text of texts) characters += text.length
  if (characters * bytesPerCharacter <= limit) return false
  let bytes = 0
  for (const text of texts) {
    bytes += Buffer.byteLength(text)
    if (bytes > limit) return true
  }
  return false
}
