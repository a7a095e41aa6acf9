import { addedIndex } from './added-index.ts'

/** For lists of records that are sorted by a number. It has every number, so that no row is read. */
export const measures = addedIndex({
  name: 'record_measures',
  table: 'record',
  columns: ['at', 'id', 'elapsed_ms', 'first_event_ms', 'input_tokens', 'output_tokens', 'cost_usd'],
})

export const failed = addedIndex({
  name: 'record_failed',
  table: 'record',
  columns: ['at', 'id'],
  where: 'status >= 400 or reason is not null',
})

export const errorCode = addedIndex({
  name: 'record_error_code',
  table: 'record',
  columns: ['error_code', 'at', 'id'],
  where: 'error_code is not null',
})
