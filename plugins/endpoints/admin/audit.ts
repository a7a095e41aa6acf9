import { isDeepStrictEqual } from 'node:util'
import type { AdminExchange, AdminServices } from '../../../core/admin.ts'
import { GatewayError, type JsonObject } from '../../../core/index.ts'
import type { Stores } from './stores.ts'

export interface AuditedChange {
  readonly action: string
  readonly target: string
  readonly org: string | null
  /** As the API shows it. Absent for a new object. */
  readonly before?: JsonObject | undefined
  readonly after?: JsonObject | undefined
}

/** Records a change, or access to content. Call it as soon as the change is made. */
export async function audited(
  { audit }: Stores,
  { admin, log, id }: AdminExchange,
  { clock, ids }: AdminServices,
  { action, target, org, before = {}, after = {} }: AuditedChange,
): Promise<void> {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(name => !isDeepStrictEqual(before[name], after[name]))
  const changes = Object.fromEntries(names.map(name => [name, { from: before[name] ?? null, to: after[name] ?? null }]))
  try {
    await audit.add({ id: ids.make('aud'), at: clock.now(), actor: admin.id, action, target, org, changes })
  } catch (cause) {
    log.error('could not write a change to the audit trail', { request: id, action, target })
    const message = 'The change was made, but it is missing from the audit trail, which is not available.'
    throw new GatewayError({ status: 503, type: 'server_error', code: 'server_error', message, cause })
  }
}
