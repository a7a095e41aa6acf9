import type { Detector, Span } from './detector.ts'

/** The forms of `@` in URLs, HTML and escapes. */
const otherSign = /%40|&#(?:64|x40);|&commat;|\\u0040/iy
const inLocal = /[\p{L}\p{M}\p{N}._%+'’-]/u
const domainAfter = /(?:[\p{L}\p{M}\p{N}-]{1,63}\.){1,8}\p{L}[\p{L}\p{M}\p{N}-]{1,62}(?<!-)/uy
const mark = '[*~`_]{1,3}'
const inLabel = '[\\p{L}\\p{M}\\p{N}-]'
/** With marks around labels, as in `mail.**example**.com`, or around a part of one that is not the last. */
const markedDomain = new RegExp(
  `(?:(?:${mark})?${inLabel}{1,63}(?:(${mark})${inLabel}{1,63}\\1${inLabel}{0,63})?(?:${mark})?\\.){1,8}(?:${mark})?\\p{L}${inLabel}{1,62}(?<!-)`,
  'uy',
)
const localMarks = /[*~`]+/g
const domainMarks = /[*~`_]+/g
/** https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1 */
const maxLocalLength = 64

/** Scripts without spaces between words. */
const spaceless =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Tibetan}ー'
const isSpaceless = new RegExp(`[${spaceless}]`, 'u')
const ownStart = new RegExp(`^[^${spaceless}]+`, 'u')
/** Characters that cannot begin an address: the rest of an escape, and punctuation. */
const notFirst = /^(?:.*%[0-9a-f]{2})?[.'’*~`]*/i
const escape = /%[0-9a-f]{2}/i
/** `image@2x.png` is a file, `name@1.2.3-beta.next` a version. */
const otherDomain = /^\d+x\.(?:png|jpe?g|gif|webp|svg)$|^v?\d+\.\d/i
/** The part of a URL before its password. */
const urlUser = /:\/\/[^\s/@]{0,100}:$/

/** Addresses in any script. */
export const email: Detector = {
  label: 'EMAIL',
  find(text) {
    const spans: Span[] = []
    let from = 0
    for (let start = 0; start < text.length; start++) {
      const end = endOfSign(text, start)
      const address = end === undefined ? undefined : addressAt(text, { start, end })
      if (!address) continue
      const next = address.start < from ? skipMarks(text, from) : address.start
      // A part of the address before, as in `jane@example.com@example.com`.
      if (next >= start) continue
      spans.push({ start: next, end: address.end })
      from = address.end
    }
    return spans
  },
}

/** The end of a sign that begins here, if one does. */
function endOfSign(text: string, start: number): number | undefined {
  const code = text.charCodeAt(start)
  if (code === 0x40) return start + 1
  if (code !== 0x25 && code !== 0x26 && code !== 0x5c) return undefined
  if (code === 0x25 && text.charCodeAt(start + 1) !== 0x34) return undefined
  otherSign.lastIndex = start
  return otherSign.test(text) ? otherSign.lastIndex : undefined
}

function addressAt(text: string, sign: Span): Span | undefined {
  const after = gapAfter(text, sign.end)
  if (!mayTouch(text, sign.end + after.length)) return undefined
  const before = gapBefore(text, sign.start)
  if (!mayTouch(text, sign.start - before.length - 1)) return undefined
  const whole = domainFrom(text, sign.end + after.length)
  if (whole === undefined || otherDomain.test(whole)) return undefined
  const domain = withoutNext(whole)
  const local = localBefore(text, sign.start - before.length, domain)
  if (local === '') return undefined
  const start = sign.start - before.length - local.length
  const end = sign.end + after.length + domain.length
  // An address of a repository, or the password of a URL.
  if (local === 'git' && text[end] === ':') return undefined
  if (text[start - 1] === ':' && urlUser.test(text.slice(Math.max(0, start - 110), start))) return undefined
  if ((before === ' ' || after === ' ') && !(isApart(local, domain) && !'(['.includes(text[end] ?? ' '))) return undefined
  if (!hasMarks(text, start, end)) return { start, end }
  const { span, isClosed } = withMarks(text, start, end, sign.end)
  // Code has such marks, too. So a domain that lacks some of its marks counts only if it is also a domain without any.
  return isClosed || (!after.includes('_') && matchAt(domainAfter, text, sign.end + after.length) !== undefined) ? span : undefined
}

/** Most domains have no marks. */
function domainFrom(text: string, start: number): string | undefined {
  const plain = matchAt(domainAfter, text, start)
  const next = start + (plain?.length ?? 0)
  if (plain !== undefined && !isDomainMark(text, next) && !(text[next] === '.' && isDomainMark(text, next + 1))) return plain
  const marked = isMarkNext(text, next) ? matchAt(markedDomain, text, start) : undefined
  if (marked === undefined || plain === undefined) return marked
  // As in `jane@example.com.**Note**`, the next sentence may follow.
  const isWhole = usualDomain.test(plain) && !usualDomain.test(marked.replaceAll(domainMarks, ''))
  return isWhole || marked.length < plain.length ? plain : marked
}

/** By code in ASCII: 1 if a character can be in a domain. */
const domainCodes = new Uint8Array(0x80)
for (let code = 0; code < domainCodes.length; code++) if (/[A-Za-z0-9.-]/.test(String.fromCharCode(code))) domainCodes[code] = 1

/** True if a mark follows, perhaps after letters, digits, dots and hyphens. */
function isMarkNext(text: string, start: number): boolean {
  for (let at = start; at < text.length; at++) {
    if (isDomainMark(text, at)) return true
    const code = text.charCodeAt(at)
    if (code < domainCodes.length && domainCodes[code] === 0) return false
  }
  return false
}

function matchAt(expression: RegExp, text: string, start: number): string | undefined {
  expression.lastIndex = start
  return expression.exec(text)?.[0]
}

const maxMarkLength = 3

/** Marks or a space before the sign, as in `**jane.doe**@example.com` and `jane.doe @example.com`. */
function gapBefore(text: string, end: number): string {
  if (text[end - 1] === ' ') return ' '
  const start = startOfMarks(text, end)
  return start === end ? '' : text.slice(start, end)
}

function gapAfter(text: string, start: number): string {
  if (text[start] === ' ') return ' '
  let end = start
  while (end - start < maxMarkLength && isDomainMark(text, end)) end++
  return start === end ? '' : text.slice(start, end)
}

function startOfMarks(text: string, end: number): number {
  let start = end
  while (end - start < maxMarkLength && isMark(text, start - 1)) start--
  return start
}

function skipMarks(text: string, start: number): number {
  let end = start
  while (isMark(text, end)) end++
  return end
}

/** `*`, `~` and a backtick. */
function isMark(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code === 0x2a || code === 0x7e || code === 0x60
}

/** Domains have no `_`, so it is a mark there. */
function isDomainMark(text: string, at: number): boolean {
  return isMark(text, at) || text.charCodeAt(at) === 0x5f
}

/** Letters, digits, and what else may be the last of a local part or the first of a domain. */
function mayTouch(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code < localCodes.length ? localCodes[code] === 1 || code === 0x22 : code >= localCodes.length
}

/** With a space next to its sign, an address must look like one: people and packages are mentioned as `@name`, too. */
function isApart(local: string, domain: string): boolean {
  const whole = local.replaceAll(localMarks, '')
  const last = local.slice(local.search(afterMarks))
  return (apart.test(whole) || apart.test(last)) && usualDomain.test(domain.replaceAll(domainMarks, ''))
}

const afterMarks = /[^*~`]*$/
const apart = /^[A-Za-z][\w.+-]*[._+\d-][\w.+-]*$/
const usualDomain = /\.(?:[a-z]{2}|com|org|net|edu|gov|mil|int|info|biz|dev|app|cloud|online|site|xyz|email|name|pro)$/

function hasMarks(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (isDomainMark(text, at)) return true
  return false
}

/** With the marks before and after that belong to one inside. `isClosed`: each mark in the domain has its other half. */
function withMarks(text: string, start: number, end: number, domain: number): { readonly span: Span; readonly isClosed: boolean } {
  const inLocal = text.slice(start, domain).match(localMarks) ?? []
  const inDomain = text.slice(domain, end).match(domainMarks) ?? []
  const all = [...inLocal, ...inDomain]
  let before = sizes.find(size => isOpen(inLocal, text.slice(start - size, start))) ?? 0
  if (before > 0) all.push(text.slice(start - before, start))
  const after = sizes.find(size => isOpen(all, text.slice(end, end + size))) ?? 0
  if (after > 0) all.push(text.slice(end, end + after))
  else if (before === 0) {
    before = sizes.find(size => isOpen(all, text.slice(start - size, start))) ?? 0
    if (before > 0) all.push(text.slice(start - before, start))
  }
  return { span: { start: start - before, end: end + after }, isClosed: !inDomain.some(mark => isOpen(all, mark)) }
}

const sizes = [3, 2, 1]

function isOpen(marks: readonly string[], mark: string): boolean {
  return marks.filter(each => each === mark).length % 2 === 1
}

/** In `请联系jane@example.com谢谢`, the address is in the middle. */
function withoutNext(domain: string): string {
  if (isPlain(domain)) return domain
  const top = domain.slice(domain.lastIndexOf('.') + 1)
  const [ownTop] = ownStart.exec(top) ?? []
  return ownTop !== undefined && ownTop.length >= 2 ? domain.slice(0, domain.length - top.length + ownTop.length) : domain
}

function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= 0x7f) return false
  return true
}

/** By code in ASCII: whether a character can be in a local part. */
const localCodes = new Uint8Array(0x80)
for (let code = 0; code < localCodes.length; code++) if (inLocal.test(String.fromCharCode(code))) localCodes[code] = 1

function isLocal(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code < localCodes.length ? localCodes[code] === 1 : inLocal.test(text[at]!)
}

/**
 * True if the character before a position belongs to the local part. Where words have no spaces, text in another script is the word before.
 */
function mayPrecede(text: string, at: number, isLatin: boolean): boolean {
  if (at === 0 || !isLocal(text, at - 1)) return false
  return !(isLatin && text.charCodeAt(at - 1) >= 0x80 && isSpaceless.test(text[at - 1]!))
}

function localBefore(text: string, end: number, domain: string): string {
  if (text[end - 1] === '"') return quotedBefore(text, end)
  const isLatin = isPlain(domain)
  let start = end
  while (end - start < maxLocalLength && mayPrecede(text, start, isLatin && start < end)) {
    start--
    const marked = startOfMarks(text, start)
    if (marked < start && mayPrecede(text, marked, isLatin)) start = marked
    // Markdown escapes it, as in `jane\\_doe@example.com`.
    else if (text.charCodeAt(start) === 0x5f && text[start - 1] === '\\' && mayPrecede(text, start - 1, isLatin)) start--
  }
  // In text with escapes, such as `\\nbob@example.com`, the letter after the backslash is not a part of the address.
  if (text[start - 1] === '\\' && 'nrtbf'.includes(text[start]!)) start++
  if (isPunctuation(text[end - 1])) return ''
  const local = text.slice(start, end)
  return escape.test(local) || isPunctuation(local[0]) || isMark(local, 0) ? local.replace(notFirst, '') : local
}

function isPunctuation(character: string | undefined): boolean {
  return character === '.' || character === "'" || character === '’'
}

/** As in `"jane doe"@example.com`. */
function quotedBefore(text: string, end: number): string {
  const start = text.lastIndexOf('"', end - 2)
  return start >= 0 && end - start <= maxLocalLength && !/[\n@]/.test(text.slice(start, end)) ? text.slice(start, end) : ''
}
