import { matching, type Detector, type Span } from './detector.ts'

/** `@`, and its forms in URLs, HTML and escapes. */
const signs = matching(/@|%40|&#(?:64|x40);|&commat;|\\u0040/gi)
const inLocal = /[\p{L}\p{M}\p{N}._%+'’-]/u
const domainAfter = /(?:[\p{L}\p{M}\p{N}-]{1,63}\.){1,8}\p{L}[\p{L}\p{M}\p{N}-]{1,62}(?<!-)/uy
/** https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1 */
const longestLocal = 64

/** Scripts that put no spaces between words. */
const spaceless =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Tibetan}ー'
const ownEnd = new RegExp(`[^${spaceless}]+$`, 'u')
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
    for (const sign of signs(text)) {
      const address = addressAt(text, sign)
      if (address && address.start >= (spans.at(-1)?.end ?? 0)) spans.push(address)
    }
    return spans
  },
}

function addressAt(text: string, sign: Span): Span | undefined {
  domainAfter.lastIndex = sign.end
  const [whole] = domainAfter.exec(text) ?? []
  if (whole === undefined || otherDomain.test(whole)) return undefined
  const domain = withoutNext(whole)
  const local = localBefore(text, sign.start, domain)
  if (local === '') return undefined
  const start = sign.start - local.length
  const end = sign.end + domain.length
  // An address of a repository, or the password of a URL.
  if ((local === 'git' && text[end] === ':') || urlUser.test(text.slice(Math.max(0, start - 110), start))) return undefined
  return { start, end }
}

/** In `请联系jane@example.com谢谢`, the address is in the middle. */
function withoutNext(domain: string): string {
  const top = domain.slice(domain.lastIndexOf('.') + 1)
  const [ownTop] = ownStart.exec(top) ?? []
  return ownTop !== undefined && ownTop.length >= 2 ? domain.slice(0, domain.length - top.length + ownTop.length) : domain
}

function localBefore(text: string, end: number, domain: string): string {
  if (text[end - 1] === '"') return quotedBefore(text, end)
  let start = end
  while (start > 0 && end - start < longestLocal && inLocal.test(text[start - 1]!)) start--
  // In text with escapes, such as `\\nbob@example.com`, the letter after the backslash is not a part of the address.
  if (text[start - 1] === '\\' && 'nrtbf'.includes(text[start]!)) start++
  const local = text.slice(start, end)
  const [own] = (/^[\x20-\x7e]+$/.test(domain) && ownEnd.exec(local)) || [local]
  return /[.'’]$/.test(own) ? '' : own.replace(notFirst, '')
}

/** As in `"jane doe"@example.com`. */
function quotedBefore(text: string, end: number): string {
  const start = text.lastIndexOf('"', end - 2)
  return start >= 0 && end - start <= longestLocal && !/[\n@]/.test(text.slice(start, end)) ? text.slice(start, end) : ''
}
