import type { AdminRoute } from '../../../core/admin.ts'
import type { AlertStore } from '../../../core/stores.ts'
import { alertFilters, Alerts, alertSchema } from './alerts.ts'
import { described, type Shown } from './descriptions.ts'
import { pageParameters } from './query.ts'
import { newSilenceSchema, Silences, silenceSchema } from './silences.ts'
import type { Stores } from './stores.ts'

const base = '/admin/v1'
const shownAlert: Shown = ['Alert', alertSchema]
const shownSilence: Shown = ['Silence', silenceSchema]

/** The routes of alerts, of a gateway that stores them. */
export function alertRoutes(stores: Stores, store: AlertStore): readonly AdminRoute[] {
  const alerts = new Alerts(stores, store)
  const silences = new Silences(stores, store)
  const query = [...pageParameters, ...alertFilters]
  return [
    {
      method: 'GET',
      path: `${base}/alerts`,
      role: 'viewer',
      reach: 'org',
      handle: exchange => alerts.list(exchange),
      describe: () => described({ summary: 'List alerts, the newest first', query, lists: shownAlert }),
    },
    {
      method: 'POST',
      path: `${base}/alerts/:id/acknowledge`,
      role: 'editor',
      reach: 'org',
      handle: (exchange, gateway) => alerts.acknowledge(exchange, gateway),
      describe: () => described({ summary: 'Acknowledge an alert', shows: shownAlert }),
    },
    {
      method: 'GET',
      path: `${base}/silences`,
      role: 'viewer',
      reach: 'org',
      handle: exchange => silences.list(exchange),
      describe: () => described({ summary: 'List silences that have not ended', query: pageParameters, lists: shownSilence }),
    },
    {
      method: 'POST',
      path: `${base}/silences`,
      role: 'editor',
      reach: 'org',
      handle: (exchange, gateway) => silences.create(exchange, gateway),
      describe: () =>
        described({
          summary: 'Keep alerts from being delivered until a time',
          request: newSilenceSchema,
          shows: shownSilence,
          status: 201,
        }),
    },
    {
      method: 'DELETE',
      path: `${base}/silences/:id`,
      role: 'editor',
      reach: 'org',
      handle: (exchange, gateway) => silences.remove(exchange, gateway),
      describe: () => described({ summary: 'Delete a silence' }),
    },
  ]
}
