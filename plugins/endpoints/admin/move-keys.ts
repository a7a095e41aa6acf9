import type { AdminExchange, AdminServices } from '../../../core/admin.ts'
import type { Account, ApiKey, Position } from '../../../core/stores.ts'
import { audited } from './audit.ts'
import type { Stores } from './stores.ts'

const movedAtOnce = 100

/** A key of a user belongs to the user's team, too. Without a new team, the keys of the old one have none. */
export async function moveKeys(
  stores: Stores,
  exchange: AdminExchange,
  gateway: AdminServices,
  user: Account,
  team: string | undefined,
): Promise<void> {
  const isMoved = (key: ApiKey): boolean => key.team !== team && (team !== undefined || key.team === user.team)
  let after: Position | undefined
  for (;;) {
    const found = await stores.keys.page({ org: user.org, user: user.id }, { limit: movedAtOnce, after })
    for (const { id, org, team: from } of found.filter(isMoved)) {
      if (!(await stores.keys.update(id, { team }))) continue
      const change = { action: 'keys.update', target: id, org, before: { team: from ?? null }, after: { team: team ?? null } }
      await audited(stores, exchange, gateway, change)
    }
    const last = found.at(-1)
    if (!last || found.length < movedAtOnce) return
    after = { at: last.createdAt, id: last.id }
  }
}
