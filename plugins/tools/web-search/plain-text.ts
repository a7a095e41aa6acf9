/** Comments, and elements whose text nobody reads. */
const unread = /<(?:!--|(script|style|noscript|template|svg)\b[^<>]*>)/gi
/** Names of elements, so that text that only looks like markup stays: `Array<string>`, `a < b`. */
const tag = new RegExp(
  `</?(?:a|abbr|article|aside|audio|b|blockquote|body|br|button|center|cite|code|dd|del|details|div|dl|dt|em|embed|fieldset|figcaption|figure|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|label|legend|li|link|main|mark|meta|nav|noscript|object|ol|option|p|param|picture|pre|q|s|samp|script|section|select|small|source|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|template|textarea|tfoot|th|thead|time|title|tr|track|tt|u|ul|var|video|wbr)(?:\\s[^<>]*)?/?>`,
  'gi',
)
const entity = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos|nbsp|hellip|ndash|mdash|lsquo|rsquo|ldquo|rdquo));/gi
const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
}
/** Text beyond this is not read: it would take time and be cut anyway. */
const maxMarkupLength = 50_000

/** The text of a page, without markup and control characters, in at most `longest` characters. */
export function plainText(markup: string, longest: number): string {
  const decoded = withoutTags(markup.slice(0, maxMarkupLength)).replaceAll(entity, (_, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return named[name.toLowerCase()]!
    const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : ''
  })
  // Escaped text may be markup as well.
  const text = withoutTags(decoded)
    .replaceAll(/(?!\n)\p{Cc}/gu, ' ')
    .replaceAll(/ [^\S\n]+|[^\S\n ][^\S\n]*/g, ' ')
    .replaceAll(/ {0,2}\n {0,2}/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
  return text.length > longest ? `${text.slice(0, longest - 1).trimEnd()}…`.toWellFormed() : text.toWellFormed()
}

function withoutTags(text: string): string {
  return text.includes('<') ? withoutUnread(text).replaceAll(tag, ' ') : text
}

/** An unread part without an end reaches to the end of the text. */
function withoutUnread(text: string): string {
  const lower = text.toLowerCase()
  let read = ''
  let from = 0
  for (let open = unread.exec(text); open; open = unread.exec(text)) {
    const end = open[1] === undefined ? '-->' : `</${open[1].toLowerCase()}`
    const close = lower.indexOf(end, unread.lastIndex)
    read += `${text.slice(from, open.index)} `
    from = close < 0 ? text.length : close + end.length
    if (open[1] !== undefined && from < text.length) from = lower.indexOf('>', from) + 1 || text.length
    unread.lastIndex = from
    if (from === text.length) break
  }
  unread.lastIndex = 0
  return read + text.slice(from)
}
