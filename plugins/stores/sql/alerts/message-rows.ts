import type { AlertDigest, AlertMessage, AlertMessageState, FilledLimit } from '../../../../core/stores.ts'
import type { AlertMessageTable } from './target-tables.ts'

/** An older version knows only the first. */
export const filledLimits: readonly FilledLimit[] = ['target', 'organizations', 'organization']

export function messageFromRow(row: AlertMessageTable): AlertMessage {
  const { id, target, org, kind, about, alert_id: alert, digest, fills_limit, state, at, tries, failure, ended_at: endedAt } = row
  return {
    id,
    target,
    org,
    kind: kind as AlertMessage['kind'],
    about,
    alert,
    digest: digest === null ? null : (JSON.parse(digest) as AlertDigest),
    fills: filledLimits[fills_limit - 1] ?? null,
    state: state as AlertMessageState,
    at,
    tries,
    failure,
    endedAt,
  }
}

/** What every new row begins with. */
export const newMessage = { fills_limit: 0, ended_at: null, tries: 0, fence: 0, counted: 0, failure: null } as const
