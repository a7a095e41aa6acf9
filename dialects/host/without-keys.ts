/** Some vendors repeat the key that they reject. */
export function withoutKeys(text: string): string {
  return text.replace(/(\bkey(?: provided)?:\s*)[^\s"\\,]+/gi, '$1[…]')
}
