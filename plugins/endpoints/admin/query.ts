import { invalidRequest } from '../../../core/index.ts'
import type { PageQuery, Position } from '../../../core/stores.ts'
import { positionIn } from './cursor.ts'
import { expectedInstant, instantIn } from './instant.ts'

const defaultLimit = 20
const maxPerPage = 100

/** Reads query parameters. Every problem is a 400 that names the parameter. */
export class Query {
  readonly #parameters: URLSearchParams

  /** `known`: every parameter of the route. */
  constructor(parameters: URLSearchParams, known: readonly string[]) {
    this.#parameters = parameters
    for (const name of new Set(parameters.keys())) {
      if (!known.includes(name))
        throw invalidRequest(
          `Unknown parameter: '${name.slice(0, 100)}'. Expected ${known.join(', ') || 'none'}.`,
          name.slice(0, 100),
          'unknown_parameter',
        )
      if (parameters.getAll(name).length > 1) throw invalid(name, 'expected it once')
    }
  }

  text(name: string): string | undefined {
    const value = this.#parameters.get(name)
    if (value === '') throw invalid(name, 'expected a value')
    return value ?? undefined
  }

  number(name: string): number | undefined {
    const value = this.text(name)
    if (value === undefined) return undefined
    const number = Number(value)
    if (!/^\d+(\.\d+)?$/.test(value) || !Number.isFinite(number)) throw invalid(name, 'expected a number of 0 or more')
    return number
  }

  flag(name: string): boolean {
    const value = this.oneOf(name, ['true', 'false'])
    return value === 'true'
  }

  /** In milliseconds since the epoch. */
  time(name: string): number | undefined {
    const value = this.text(name)
    if (value === undefined) return undefined
    const ms = /^\d+$/.test(value) ? Number(value) * 1000 : instantIn(value)
    if (ms !== undefined && ms <= farthestMs) return ms
    throw invalid(name, `${expectedInstant}, or seconds since 1970`)
  }

  /** The times `from` and `to`, in this order. */
  range(): { readonly from: number | undefined; readonly to: number | undefined } {
    const [from, to] = [this.time('from'), this.time('to')]
    if (from !== undefined && to !== undefined && from >= to) throw invalid('from', "expected a time before 'to'")
    return { from, to }
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T | undefined {
    const value = this.text(name)
    if (value === undefined) return undefined
    const found = values.find(each => each === value)
    if (found === undefined) throw invalid(name, `expected one of ${values.join(', ')}`)
    return found
  }

  /** Separated by commas, each at most once. */
  someOf<T extends string>(name: string, values: readonly T[]): readonly T[] {
    const given = this.text(name)?.split(',') ?? []
    const found = values.filter(each => given.includes(each))
    if (found.length !== given.length) throw invalid(name, `expected some of ${values.join(', ')}, separated by commas`)
    return found
  }

  /** One entry more than the page has, to see whether there are more. `read`: reads the cursor. */
  page(
    list: string,
    read = (cursor: string): Position | undefined => positionIn(list, cursor),
  ): PageQuery & { readonly pageLimit: number } {
    const limit = this.number('limit') ?? defaultLimit
    if (!Number.isInteger(limit) || limit < 1 || limit > maxPerPage)
      throw invalid('limit', `expected a whole number from 1 to ${maxPerPage}`)
    const cursor = this.text('cursor')
    return { limit: limit + 1, pageLimit: limit, after: cursor === undefined ? undefined : read(cursor) }
  }
}

/** The most that `Date` can hold. */
const farthestMs = 8.64e15

export const pageParameters = ['limit', 'cursor'] as const

function invalid(name: string, expected: string): Error {
  return invalidRequest(`Invalid value for '${name}': ${expected}.`, name)
}
