import type { AdminExchange, AdminServices } from '../../../core/admin.ts'
import { invalidRequest, type JsonObject, type Reply } from '../../../core/index.ts'
import { bodyValidator } from '../../../core/kit.ts'
import { alertKinds, type AlertKind, type AlertStore, type Silence } from '../../../core/stores.ts'
import { audited } from './audit.ts'
import { expectedInstant, instantIn } from './instant.ts'
import { idText } from './member-schemas.ts'
import { pathId } from './path-id.ts'
import { pageParameters, Query } from './query.ts'
import { conflict, forbidden, notFound } from './refusals.ts'
import { json, pageOfAll, time } from './replies.ts'
import { checkSubject } from './silence-subject.ts'
import type { Stores } from './stores.ts'

const longestMs = 366 * 24 * 60 * 60 * 1000
/** Of each organization, and of tokens for all of them. */
const maxSilences = 100
const text = { type: 'string' }
const textOrNull = { type: ['string', 'null'] }

export const newSilenceSchema: JsonObject = {
  type: 'object',
  required: ['until'],
  additionalProperties: false,
  properties: {
    kind: { enum: [...alertKinds, null], description: 'Only alerts of this kind.' },
    subject: {
      ...textOrNull,
      minLength: 1,
      maxLength: 500,
      description: 'Only alerts with exactly this subject, such as provider:openai. It must name something that there is.',
    },
    org: {
      ...idText,
      type: ['string', 'null'],
      description: 'Only alerts of this organization. Default: that of the admin token, or any.',
    },
    until: { ...text, maxLength: 40, description: 'When it ends: a time such as 2026-01-31T12:00:00Z, at most a year from now.' },
    note: { ...textOrNull, maxLength: 500, description: 'Such as the reason.' },
  },
}
const check = bodyValidator(newSilenceSchema)

export const silenceSchema: JsonObject = {
  type: 'object',
  required: ['object', 'id', 'created_at', 'until', 'kind', 'subject', 'org', 'note', 'created_by', 'reach'],
  properties: {
    object: { const: 'silence' },
    id: text,
    created_at: text,
    until: text,
    kind: { enum: [...alertKinds, null] },
    subject: textOrNull,
    org: textOrNull,
    note: textOrNull,
    created_by: { ...text, description: 'The id of the admin token that made it.' },
    reach: {
      enum: ['all', 'org'],
      description: "all: nobody is told. org: a token of the organization made it, so only the organization's own targets are not told.",
    },
  },
}

/** The routes of silences. Those of an organization's own token never keep an alert from operators. */
export class Silences {
  readonly #stores: Stores
  readonly #alerts: AlertStore

  constructor(stores: Stores, alerts: AlertStore) {
    this.#stores = stores
    this.#alerts = alerts
  }

  async list({ admin, query: parameters }: AdminExchange): Promise<Reply> {
    const query = new Query(parameters, pageParameters)
    const all = await this.#alerts.silences()
    const visible = all.filter(({ org }) => admin.org === undefined || org === admin.org)
    return await pageOfAll('silences', visible, query, ({ id }) => id, shown)
  }

  async create(exchange: AdminExchange, gateway: AdminServices): Promise<Reply> {
    const body = (await exchange.json()) as NewSilence
    check(body)
    const { admin } = exchange
    const { kind = null, subject = null, note = null } = body
    const org = body.org ?? admin.org ?? null
    if (admin.org !== undefined && org !== admin.org) throw invalidRequest(`No organization has the id "${org}".`, 'org')
    if (kind === null && subject === null && org === null)
      throw invalidRequest('A silence needs a kind, a subject or an org. Without any, it would match every alert.')
    if (subject !== null) await checkSubject(subject, { admin, stores: this.#stores, alerts: this.#alerts, gateway })
    const until = await this.#untilIn(body.until)
    const reach = admin.org === undefined ? 'all' : 'org'
    const alike = (await this.#alerts.silences()).filter(each => each.reach === reach && (reach === 'all' || each.org === org))
    if (alike.length >= maxSilences) throw conflict(`There are ${maxSilences} silences already. Delete some first.`)
    const silence = await this.#alerts.addSilence({ id: gateway.ids.make('sil'), until, kind, subject, org, note, by: admin.id, reach })
    await audited(this.#stores, exchange, gateway, { action: 'silences.create', target: silence.id, org, after: shown(silence) })
    return json(shown(silence), 201)
  }

  async remove(exchange: AdminExchange, gateway: AdminServices): Promise<Reply> {
    const { admin } = exchange
    const id = pathId(exchange)
    const silence = (await this.#alerts.silences()).find(each => each.id === id)
    if (!silence || (admin.org !== undefined && silence.org !== admin.org)) throw notFound('silence', id)
    if (admin.org !== undefined && silence.reach === 'all')
      throw forbidden('A token for all organizations made this silence, so only such a token can delete it.')
    if (!(await this.#alerts.removeSilence(id))) throw notFound('silence', id)
    await audited(this.#stores, exchange, gateway, { action: 'silences.delete', target: id, org: silence.org, before: shown(silence) })
    return json({ object: 'silence', id, deleted: true })
  }

  async #untilIn(given: string): Promise<number> {
    const until = instantIn(given)
    const now = await this.#alerts.now()
    if (until !== undefined && until > now && until <= now + longestMs) return until
    throw invalidRequest(`Invalid value for 'until': ${expectedInstant}, from now to a year from now.`, 'until')
  }
}

interface NewSilence {
  readonly until: string
  readonly kind?: AlertKind | null
  readonly subject?: string | null
  readonly org?: string | null
  readonly note?: string | null
}

function shown({ id, at, until, kind, subject, org, note, by, reach }: Silence): JsonObject {
  return { object: 'silence', id, created_at: time(at), until: time(until), kind, subject, org, note, created_by: by, reach }
}
