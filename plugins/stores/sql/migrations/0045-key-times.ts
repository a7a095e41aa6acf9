import { addedIndex } from './added-index.ts'

/** For those who look for keys that were used lately, and for keys that expire soon, among very many. */
export const used = addedIndex({ name: 'key_use_time', table: 'key_use', columns: ['last_used_at', 'key_id'] })
export const expiring = addedIndex({ name: 'api_key_expiry', table: 'api_key', columns: ['expires_at'], where: 'expires_at is not null' })
