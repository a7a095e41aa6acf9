/** UTF-8 takes at most three bytes for one UTF-16 unit. */
const bytesPerCharacter = 3

/** Whether texts might have more tokens than `limit`. A token is at least one byte, so most texts are cleared by their length alone. */
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
