import { systemClock } from '../../../../core/foundation/clock.ts'
import type { Alert } from '../../../../core/contracts/alert.ts'
import { SqlAlerts } from '../../../../plugins/stores/sql/alerts/store.ts'
import { openSqlite } from '../../../../plugins/stores/sql/sqlite/open.ts'

/** Stores alerts in the database of a gateway, the newest last, for these channels. Members that are not given are those of a provider that is down. */
export async function addAlerts(file: string, alerts: readonly Partial<Alert>[], channels: readonly string[] = []): Promise<void> {
  const { database } = await openSqlite(file)
  const store = new SqlAlerts(database, systemClock)
  const now = Date.now()
  for (const [index, members] of alerts.entries())
    await store.raise({
      alert: {
        id: `alert_demo${index}`,
        at: now - (alerts.length - index) * 1_000,
        kind: 'provider',
        subject: 'provider:north',
        org: null,
        severity: 'critical',
        title: 'Provider north is down',
        message: 'None of the last 12 attempts succeeded. Requests go to other providers, if there are any.',
        facts: { provider: 'north', attempts: 12 },
        resolves: null,
        ...members,
      },
      channels,
    })
  await database.destroy()
}
