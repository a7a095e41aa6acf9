import { invalidRequest } from '../../../core/index.ts'
import type { AdminExchange, AdminServices } from '../../../core/admin.ts'
import type { Keys } from './keys.ts'
import type { Query } from './query.ts'

const id = /^ses_[0-9a-f]{32}$/

/** The session that a query asks for, by its id or, together with a key, by the client's own name for it. Throws a 400, or a 404 for the key. */
export async function askedSession(query: Query, exchange: AdminExchange, gateway: AdminServices, keys: Keys): Promise<string | undefined> {
  const given = query.text('session')
  if (given === undefined || id.test(given)) return given
  const key = query.text('key')
  if (key === undefined)
    throw invalidRequest(
      "Invalid value for 'session': expected an id such as ses_0123456789abcdef0123456789abcdef. To ask by the client's own name for the session, add 'key'.",
      'session',
    )
  return gateway.sessionOf(await keys.find(exchange, key), given)
}
