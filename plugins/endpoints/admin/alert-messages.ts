import type { Reply } from '../../../core/index.ts'
import { alertMessageStates } from '../../../core/stores.ts'
import type { AdminExchange, AdminServices, AlertTargets } from '../../../core/admin.ts'
import { shownMessage } from './alert-target-object.ts'
import { audited } from './audit.ts'
import { pathId } from './path-id.ts'
import { pageParameters, Query } from './query.ts'
import { conflict, notFound } from './refusals.ts'
import { json, page } from './replies.ts'
import type { Stores } from './stores.ts'

export const messageFilters = ['org', 'target', 'state'] as const

/** What was sent to targets, and what could not be. A token of one organization sees what was sent to that organization. */
export class AlertMessages {
  readonly #stores: Stores
  readonly #targets: AlertTargets

  constructor(stores: Stores, targets: AlertTargets) {
    this.#stores = stores
    this.#targets = targets
  }

  async list({ admin, query: parameters }: AdminExchange): Promise<Reply> {
    const query = new Query(parameters, [...pageParameters, ...messageFilters])
    const { pageLimit, ...wanted } = query.page('alert-messages')
    const org = query.text('org')
    const filter = { org: admin.org ?? org, target: query.text('target'), state: query.oneOf('state', alertMessageStates) }
    const isHidden = admin.org !== undefined && org !== undefined && org !== admin.org
    const found = isHidden ? [] : await this.#targets.messages(filter, wanted)
    return await page(
      'alert-messages',
      found,
      pageLimit,
      entry => entry,
      entries => entries.map(shownMessage),
    )
  }

  async resend(exchange: AdminExchange, gateway: AdminServices): Promise<Reply> {
    const id = pathId(exchange)
    new Query(exchange.query, [])
    const { admin } = exchange
    const found = await this.#targets.message(id)
    if (!found || (admin.org !== undefined && found.org !== admin.org)) throw notFound('alert message', id)
    if (!(await this.#targets.resend(id))) throw conflict(`The message "${id}" has not failed, so it is not sent again.`, 'id')
    const after = { state: 'waiting' }
    await audited(this.#stores, exchange, gateway, {
      action: 'alert-messages.resend',
      target: id,
      org: found.org,
      before: { state: 'failed' },
      after,
    })
    return json({ ...shownMessage(found), ...after, tries: 0, failure: null, ended_at: null })
  }
}
