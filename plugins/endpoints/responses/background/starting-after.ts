import { invalidRequest } from '../../../../core/index.ts'
import { wording } from '../../../../core/kit.ts'
import { single } from '../single.ts'

const lastNumber = 2_147_483_647

/** The sequence number of the last event that the client has. */
export function startingAfter(query: URLSearchParams): number {
  const value = single(query, 'starting_after')
  if (value === null || value === '') return -1
  const number = /^\d{1,10}$/.test(value) ? Number(value) : lastNumber + 1
  if (number > lastNumber)
    throw invalidRequest(wording`Invalid value for 'starting_after': expected the sequence_number of an event.`, 'starting_after')
  return number
}
