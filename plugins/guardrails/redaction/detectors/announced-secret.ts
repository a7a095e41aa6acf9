import { matching, type Span } from './detector.ts'
import { runEnds } from './runs.ts'

// Many vendors' keys are plain letters and digits, so they need a word before them that announces a key.

const word =
  '(?:(?:api|access|secret|auth|private|client|account|service|app)[_ -]?(?:key|token|secret)|apikey|(?<![a-z])(?:token|secret|credential)|_pat|bearer)(?:_[a-z0-9]{1,20})?'
const assigned = '["\'`]?(?:\\s{0,3}(?:=>|:=|[:=])\\s{0,3}|\\n\\0\\n| (?:is )?)["\'`]?'
const keys = new RegExp(`${word}${assigned}([A-Za-z0-9_./+=~|-]{16,512})(?![A-Za-z0-9(])`, 'gi')
/** Sixteen letters and digits in a row, with at least one of each. Or a UUID. */
const row = /[A-Za-z0-9]{16,}/g
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const passwords = /(?:password|passwd|pwd|passphrase)["'`]?(?:\s{0,3}[:=]\s{0,3}|\n\0\n)["'`]?([^\s"'`<>$%{}()[\]*,;\0]{6,200})(?![\w(])/gi
const settings = matching(/(?:password|pwd)=/gi)
const listed = /[^\s"';<>$%{}()]+/y
const maxListedLength = 200
const shortestListed = 4

/** Keys and passwords after a word that announces them. */
export function announcedSecrets(text: string): readonly Span[] {
  return [
    ...lastGroups(text, keys).filter(({ start, end }) => isKeyLike(text.slice(start, end))),
    ...lastGroups(text, passwords).filter(({ start, end }) => /[\d@!#&^~]/.test(text.slice(start, end))),
    ...listedPasswords(text),
  ]
}

function isKeyLike(value: string): boolean {
  return value.match(row)?.some(each => /\d/.test(each) && /[A-Za-z]/.test(each)) || uuid.test(value)
}

/** In a list such as `Uid=jane;Pwd=demo;`. */
function listedPasswords(text: string): readonly Span[] {
  const spans: Span[] = []
  const endOf = runEnds(text, listed)
  for (const { end: start } of settings(text)) {
    const end = endOf(start)
    const isListed = text[end] === ';' && end - start >= shortestListed && end - start <= maxListedLength
    if (isListed && start >= (spans.at(-1)?.end ?? 0)) spans.push({ start, end })
  }
  return spans
}

/** The group ends where the match does. */
function lastGroups(text: string, expression: RegExp): readonly Span[] {
  return Array.from(text.matchAll(expression), ({ 0: match, 1: value, index }) => {
    const end = index + match.length
    return { start: end - value!.length, end }
  })
}
