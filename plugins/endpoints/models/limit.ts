import { invalidRequest } from '../../../core/index.ts'
import { wording, own } from '../../../core/kit.ts'

const shownLength = 100

/** The parameter `limit`, or what an API calls it. Without it, `absent`. Throws a 400. */
export function limitIn(query: URLSearchParams, absent = Infinity, most = 999_999_999, name = 'limit'): number {
  const text = onlyOne(query, name)
  if (text === undefined) return absent
  if (/^[1-9]\d{0,8}$/.test(text) && Number(text) <= most) return Number(text)
  const range = most === 999_999_999 ? 'from 1' : `from 1 to ${most}`
  throw invalidRequest(wording`${own(name)} must be a whole number ${own(range)}, such as 20, got ${shown(text)}.`, name)
}

/** A parameter that may appear once. Throws a 400. */
export function onlyOne(query: URLSearchParams, name: string): string | undefined {
  const [text, second] = query.getAll(name)
  if (second !== undefined) throw invalidRequest(wording`${own(name)} must appear once, but appears several times.`, name)
  return text
}

/** The 400 for a cursor that is no model of the list. */
export function unknownCursor(name: string, value: string): Error {
  return invalidRequest(
    wording`${own(name)} must be the id of a model in the list, got ${shown(value)}. Without ${own(name)}, the list starts at its beginning.`,
    name,
  )
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, shownLength))
}
