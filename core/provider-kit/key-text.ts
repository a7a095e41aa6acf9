/** The characters that a header can carry. Anything else is a copying mistake: a line break, an ellipsis, a typographic quote. Throws a `TypeError`. */
export function checkKeyText(apiKey: string): void {
  const place = apiKey.search(/[^\x20-\x7e]|^ | $/)
  if (place < 0) return
  throw new TypeError(
    `character ${place + 1} of ${apiKey.length} in the option apiKey cannot be part of a key. Copy the key again, as a whole and without white space around it`,
  )
}
