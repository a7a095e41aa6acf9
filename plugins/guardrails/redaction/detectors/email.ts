import type { Detector, Span } from './detector.ts'

/** The forms of `@` in URLs, HTML and escapes. */
const otherSign = /%40|&#(?:64|x40);|&commat;|\\u0040/iy
const inLocal = /[\p{L}\p{M}\p{N}._%+'’-]/u
const domainAfter = /(?:[\p{L}\p{M}\p{N}-]{1,63}\.){1,8}\p{L}[\p{L}\p{M}\p{N}-]{1,62}(?<!-)/uy
/** https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1 */
const longestLocal = 64

/** Scripts that put no spaces between words. */
const spaceless =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Tibetan}ー'
const isSpaceless = new RegExp(`[${spaceless}]`, 'u')
const ownStart = new RegExp(`^[^${spaceless}]+`, 'u')
/** What cannot begin an address: the rest of an escape, and punctuation. */
const notFirst = /^(?:.*%[0-9a-f]{2})?[.'’]*/i
/** `image@2x.png` is a file, `name@1.2.3-beta.next` a version. */
const otherDomain = /^\d+x\.(?:png|jpe?g|gif|webp|svg)$|^v?\d+\.\d/i
/** What stands before the password of a URL. */
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
      if (!address || address.start < from) continue
      spans.push(address)
      from = address.end
    }
    return spans
  },
}

/** Returns undefined if no sign begins here. */
function endOfSign(text: string, start: number): number | undefined {
  const code = text.charCodeAt(start)
  if (code === 0x40) return start + 1
  if (code !== 0x25 && code !== 0x26 && code !== 0x5c) return undefined
  otherSign.lastIndex = start
  return otherSign.test(text) ? otherSign.lastIndex : undefined
}

function addressAt(text: string, sign: Span): Span | undefined {
  const after = gapAfter(text, sign.end)
  if (!mayTouch(text, sign.end + after.length)) return undefined
  const before = gapBefore(text, sign.start)
  if (!mayTouch(text, sign.start - before.length - 1)) return undefined
  domainAfter.lastIndex = sign.end + after.length
  const [whole] = domainAfter.exec(text) ?? []
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
  return withMarks(text, start, end, before.trim(), after.trim())
}

const longestMark = 3

/** Marks or a space before the sign, as in `**jane.doe**@example.com` and `jane.doe @example.com`. */
function gapBefore(text: string, end: number): string {
  if (text[end - 1] === ' ') return ' '
  let start = end
  while (end - start < longestMark && isMark(text.charCodeAt(start - 1))) start--
  return start === end ? '' : text.slice(start, end)
}

function gapAfter(text: string, start: number): string {
  if (text[start] === ' ') return ' '
  let end = start
  while (end - start < longestMark && isMark(text.charCodeAt(end))) end++
  return start === end ? '' : text.slice(start, end)
}

/** `*`, `~` and a backtick. */
function isMark(code: number): boolean {
  return code === 0x2a || code === 0x7e || code === 0x60
}

/** Letters, digits, and what else may be the last of a local part or the first of a domain. */
function mayTouch(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code < localCodes.length ? localCodes[code] === 1 || code === 0x22 : code >= localCodes.length
}

/** With a space beside its sign, an address must look like one: people and packages are mentioned as `@name`, too. */
function isApart(local: string, domain: string): boolean {
  return /^[A-Za-z][\w.+-]*[._+\d-][\w.+-]*$/.test(local) && usualDomain.test(domain)
}

const usualDomain = /\.(?:[a-z]{2}|com|org|net|edu|gov|mil|int|info|biz|dev|app|cloud|online|site|xyz|email|name|pro)$/

/** With the marks around the local part or the domain, if they are there. */
function withMarks(text: string, start: number, end: number, before: string, after: string): Span {
  const isOpened = before !== '' && text.startsWith(before, start - before.length)
  const isClosed = after !== '' && text.startsWith(after, end)
  return { start: isOpened ? start - before.length : start, end: isClosed ? end + after.length : end }
}

/** In `请联系jane@example.com谢谢`, the address is in the middle. */
function withoutNext(domain: string): string {
  if (isPlain(domain)) return domain
  const top = domain.slice(domain.lastIndexOf('.') + 1)
  const [ownTop] = ownStart.exec(top) ?? []
  return ownTop !== undefined && ownTop.length >= 2 ? domain.slice(0, domain.length - top.length + ownTop.length) : domain
}

function isPlain(text: string): boolean {
  return /^[\x20-\x7e]+$/.test(text)
}

/** By code in ASCII: whether a character can be in a local part. */
const localCodes = new Uint8Array(0x80)
for (let code = 0; code < localCodes.length; code++) if (inLocal.test(String.fromCharCode(code))) localCodes[code] = 1

function isLocal(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code < localCodes.length ? localCodes[code] === 1 : inLocal.test(text[at]!)
}

function localBefore(text: string, end: number, domain: string): string {
  if (text[end - 1] === '"') return quotedBefore(text, end)
  const isLatin = isPlain(domain)
  let start = end
  while (start > 0 && end - start < longestLocal && isLocal(text, start - 1)) {
    // Where words have no spaces, what is in another script is the word before.
    if (isLatin && text.charCodeAt(start - 1) >= 0x80 && start < end && isSpaceless.test(text[start - 1]!)) break
    start--
  }
  // In text with escapes, such as `\\nbob@example.com`, the letter after the backslash is not a part of the address.
  if (text[start - 1] === '\\' && 'nrtbf'.includes(text[start]!)) start++
  const local = text.slice(start, end)
  return /[.'’]$/.test(local) ? '' : local.replace(notFirst, '')
}

/** As in `"jane doe"@example.com`. */
function quotedBefore(text: string, end: number): string {
  const start = text.lastIndexOf('"', end - 2)
  return start >= 0 && end - start <= longestLocal && !/[\n@]/.test(text.slice(start, end)) ? text.slice(start, end) : ''
}
