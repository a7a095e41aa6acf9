/** Surrogate pairs count once. An iterator over 20 MB of text would block the event loop for half a second. */
export function characters(text: string): number {
  if (!highSurrogate.test(text)) return text.length
  let pairs = 0
  for (let index = 1; index < text.length; index++) {
    if ((text.charCodeAt(index) & 0xfc00) !== 0xdc00 || (text.charCodeAt(index - 1) & 0xfc00) !== 0xd800) continue
    pairs += 1
    // The next unit cannot end another pair.
    index += 1
  }
  return text.length - pairs
}

const highSurrogate = /[\ud800-\udbff]/
