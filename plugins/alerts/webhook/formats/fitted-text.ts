/** Text for one line, within a limit. `escape` must treat each character by itself; it is never cut within what it makes of one. */
export function fittedText(text: string, most: number, escape: (text: string) => string = each => each): string {
  const line = text.toWellFormed().replaceAll(unprintable, '').replaceAll(/\s+/g, ' ').trim() || '-'
  const whole = escape(line)
  if (whole.length <= most) return whole
  let cut = ''
  for (const character of line) {
    const escaped = escape(character)
    if (cut.length + escaped.length > most - 1) break
    cut += escaped
  }
  return `${cut}…`
}

/** Control characters other than white space, and those that change the direction of writing. */
const unprintable = /(?!\s)\p{Cc}|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
