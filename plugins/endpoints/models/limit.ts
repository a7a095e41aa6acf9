import { invalidRequest } from '../../../core/index.ts'

const shownLength = 100

/** The parameter `limit`. Without it, everything. Throws a 400. */
export function limitIn(query: URLSearchParams): number {
  const [text, second] = query.getAll('limit')
  if (text === undefined) return Infinity
  if (second !== undefined) throw invalidRequest('limit must appear once, but appears several times.', 'limit')
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw invalidRequest(`limit must be a whole number from 1, such as 20, got ${JSON.stringify(text.slice(0, shownLength))}.`, 'limit')
}
