import type { AdminExchange, AdminServices } from '../../../core/admin.ts'
import type { JsonObject, Reply } from '../../../core/index.ts'
import { alertKinds, alertSeverities, alertStates, type AlertStore, type StoredAlert } from '../../../core/stores.ts'
import { audited } from './audit.ts'
import { pathId } from './path-id.ts'
import { pageParameters, Query } from './query.ts'
import { notFound } from './refusals.ts'
import { json, page, time } from './replies.ts'
import type { Stores } from './stores.ts'

export const alertFilters = ['kind', 'org', 'state', 'from', 'to'] as const

const text = { type: 'string' }
const textOrNull = { type: ['string', 'null'] }

export const alertSchema: JsonObject = {
  type: 'object',
  required: ['object', 'id', 'created_at', 'kind', 'subject', 'org', 'severity', 'state', 'title', 'message', 'facts', 'resolves'],
  properties: {
    object: { const: 'alert' },
    id: text,
    created_at: text,
    kind: { enum: [...alertKinds] },
    subject: { ...text, description: 'What it is about, such as key:<id>, org:<id> or provider:<id>.' },
    org: { ...textOrNull, description: 'Null: it concerns the gateway as a whole.' },
    severity: { enum: [...alertSeverities] },
    state: { enum: [...alertStates] },
    title: text,
    message: text,
    facts: { type: 'object', description: 'The numbers and names of the message.' },
    resolves: { ...textOrNull, description: 'The id of the alert that this one says is over.' },
    acknowledged_at: textOrNull,
    acknowledged_by: textOrNull,
    resolved_at: textOrNull,
    silenced_by: { ...textOrNull, description: 'The id of the silence that held it back.' },
  },
}

/** The routes of alerts. A token of one organization sees those of that organization, and none of the gateway as a whole. */
export class Alerts {
  readonly #stores: Stores
  readonly #alerts: AlertStore

  constructor(stores: Stores, alerts: AlertStore) {
    this.#stores = stores
    this.#alerts = alerts
  }

  async list({ admin, query: parameters }: AdminExchange): Promise<Reply> {
    const query = new Query(parameters, [...pageParameters, ...alertFilters])
    const { pageLimit, ...wanted } = query.page('alerts')
    const org = query.text('org')
    const kind = query.oneOf('kind', alertKinds)
    const filter = { org: admin.org ?? org, kind, state: query.oneOf('state', alertStates), ...query.range() }
    const isHidden = admin.org !== undefined && org !== undefined && org !== admin.org
    const found = isHidden ? [] : await this.#alerts.page(filter, wanted)
    return await page(
      'alerts',
      found,
      pageLimit,
      ({ at, id }) => ({ at, id }),
      alerts => alerts.map(shown),
    )
  }

  async acknowledge(exchange: AdminExchange, gateway: AdminServices): Promise<Reply> {
    const { admin } = exchange
    const id = pathId(exchange)
    const before = await this.#alerts.find(id)
    if (!before || (admin.org !== undefined && before.org !== admin.org) || !(await this.#alerts.acknowledge(id, admin.id)))
      throw notFound('alert', id)
    const after = (await this.#alerts.find(id)) ?? before
    if (before.acknowledgedAt === null) {
      const [from, to] = [before, after].map(({ state, acknowledgedBy }) => ({ state, acknowledged_by: acknowledgedBy }))
      await audited(this.#stores, exchange, gateway, { action: 'alerts.acknowledge', target: id, org: before.org, before: from, after: to })
    }
    return json(shown(after))
  }
}

function shown(alert: StoredAlert): JsonObject {
  const { id, at, kind, subject, org, severity, state, title, message, facts, resolves } = alert
  return {
    object: 'alert',
    id,
    created_at: time(at),
    kind,
    subject,
    org,
    severity,
    state,
    title,
    message,
    facts,
    resolves,
    acknowledged_at: timeOrNull(alert.acknowledgedAt),
    acknowledged_by: alert.acknowledgedBy,
    resolved_at: timeOrNull(alert.resolvedAt),
    silenced_by: alert.silencedBy,
  }
}

function timeOrNull(at: number | null): string | null {
  return at === null ? null : time(at)
}
