import { invalidRequest } from '../../../core/index.ts'
import { own, wording } from '../../../core/kit.ts'
import { single } from './single.ts'

const orders = ['desc', 'asc'] as const
const defaultLimit = 20
const maxLimit = 100

/** The parameters that all lists of items have. */
export interface PageQuery {
  readonly limit: number
  readonly order: (typeof orders)[number]
}

/** Throws a 400 that names the parameter. */
export function pageQuery(query: URLSearchParams): PageQuery {
  const limit = single(query, 'limit') ?? String(defaultLimit)
  const order = single(query, 'order') ?? orders[0]
  const number = /^\d{1,3}$/.test(limit) ? Number(limit) : 0
  if (number < 1 || number > maxLimit)
    throw invalidRequest(wording`Invalid value for 'limit': expected an integer from 1 to ${own(maxLimit)}.`, 'limit')
  const known = orders.find(name => name === order)
  if (!known) throw invalidRequest(wording`Invalid value for 'order': expected 'asc' or 'desc'.`, 'order')
  return { limit: number, order: known }
}
