import { invalidRequest } from '../../../core/index.ts'

const shownLength = 100

/** The parameter `limit`. Without it, everything. Throws a 400. */
export function limitIn(query: URLSearchParams): number {
  const text = query.get('limit')
  if (text === null) return Infinity
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw invalidRequest(`limit must be a whole number from 1, such as 20, got ${JSON.stringify(text.slice(0, shownLength))}.`, 'limit')
}
