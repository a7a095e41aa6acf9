import { invalidRequest, type JsonObject, type Reply } from '../../../core/index.ts'
import { alertFormats, alertKinds, alertSeverities, type AlertFormat, type AlertKind, type AlertSeverity } from '../../../core/stores.ts'
import type { AdminExchange, AdminServices, AlertTargets, AlertTargetSettings, AlertTargetView } from '../../../core/admin.ts'
import { bodyValidator } from '../../../core/kit.ts'
import { shownTarget } from './alert-target-object.ts'
import { audited } from './audit.ts'
import { idText, nameText } from './member-schemas.ts'
import { pathId } from './path-id.ts'
import { pageParameters, Query } from './query.ts'
import { notFound } from './refusals.ts'
import { json, page } from './replies.ts'
import type { Stores } from './stores.ts'

const secret = { type: 'string', maxLength: 200 } as const
const settings = {
  name: nameText,
  url: { type: 'string', description: 'The address that gets the alerts. It is never shown again.' },
  format: { enum: [...alertFormats] },
  secret: {
    type: ['string', 'array', 'null'],
    maxLength: 200,
    items: secret,
    description:
      'Signs messages: whsec_ and base64. Several to rotate it. Null: messages are not signed. Default: with the format json a new one, which is shown only once.',
  },
  kinds: { type: ['array', 'null'], minItems: 1, uniqueItems: true, items: { enum: [...alertKinds] }, description: 'Null: all.' },
  min_severity: { enum: [...alertSeverities] },
  disabled: { type: 'boolean' },
}

export const newTargetSchema: JsonObject = {
  type: 'object',
  required: ['name', 'url'],
  additionalProperties: false,
  properties: { ...settings, org: { ...idText, description: 'Default: that of the admin token.' } },
}
export const targetChangeSchema: JsonObject = { type: 'object', additionalProperties: false, properties: settings }
const checkNew = bodyValidator(newTargetSchema)
const checkChange = bodyValidator(targetChangeSchema)

interface TargetBody {
  readonly name?: string
  readonly url?: string
  readonly format?: AlertFormat
  readonly secret?: string | readonly string[] | null
  readonly kinds?: readonly AlertKind[] | null
  readonly min_severity?: AlertSeverity
  readonly disabled?: boolean
  readonly org?: string
}

/** The routes of the targets of alerts. A token of one organization sees and sets those of that organization. */
export class Targets {
  readonly #stores: Stores
  readonly #targets: AlertTargets

  constructor(stores: Stores, targets: AlertTargets) {
    this.#stores = stores
    this.#targets = targets
  }

  async list(exchange: AdminExchange): Promise<Reply> {
    const query = new Query(exchange.query, [...pageParameters, 'org'])
    const { pageLimit, ...wanted } = query.page('alert-targets')
    const { admin } = exchange
    const org = query.text('org')
    const isHidden = admin.org !== undefined && org !== undefined && org !== admin.org
    const found = isHidden ? [] : await this.#targets.page(admin.org ?? org, wanted)
    return await page('alert-targets', found, pageLimit, positionOf, entries => entries.map(shownTarget))
  }

  async get(exchange: AdminExchange): Promise<Reply> {
    return json(shownTarget(await this.#find(exchange)))
  }

  async create(exchange: AdminExchange, gateway: AdminServices): Promise<Reply> {
    const body = (await exchange.json()) as TargetBody
    checkNew(body)
    const { admin } = exchange
    const org = body.org ?? admin.org
    if (org === undefined) throw invalidRequest("Missing required parameter: 'org'.", 'org', 'missing_required_parameter')
    if ((admin.org ?? org) !== org || !(await this.#stores.accounts.find({ level: 'org', org, id: org })))
      throw invalidRequest(`No organization has the id "${org}". Create it first.`, 'org')
    const wanted = { format: 'json', kinds: null, minSeverity: 'info', disabled: false, ...settingsOf(body) } as const
    const { target, secret: made } = await this.#targets.add(org, wanted as AlertTargetSettings)
    const shown = shownTarget(target)
    await audited(this.#stores, exchange, gateway, { action: 'alert-targets.create', target: target.id, org, after: shown })
    return json(made === undefined ? shown : { ...shown, secret: made }, 201)
  }

  async update(exchange: AdminExchange, gateway: AdminServices): Promise<Reply> {
    const before = await this.#find(exchange)
    const body = (await exchange.json()) as TargetBody
    checkChange(body)
    const after = await this.#targets.update(before.id, settingsOf(body))
    if (!after) throw notFound('alert target', before.id)
    const [from, to] = [shownTarget(before), shownTarget(after)]
    // Secrets may end alike.
    const renewed = { ...(body.url !== undefined && { url: 'set' }), ...(body.secret !== undefined && { secret: 'set' }) }
    await audited(this.#stores, exchange, gateway, {
      action: 'alert-targets.update',
      target: before.id,
      org: before.org,
      before: from,
      after: { ...to, ...renewed },
    })
    return json(to)
  }

  async remove(exchange: AdminExchange, gateway: AdminServices): Promise<Reply> {
    const before = await this.#find(exchange)
    if (!(await this.#targets.remove(before.id))) throw notFound('alert target', before.id)
    const { id, org } = before
    await audited(this.#stores, exchange, gateway, { action: 'alert-targets.delete', target: id, org, before: shownTarget(before) })
    return json({ object: 'alert_target', id, deleted: true })
  }

  async test(exchange: AdminExchange, gateway: AdminServices): Promise<Reply> {
    const { id, org } = await this.#find(exchange)
    const tested = await this.#targets.test(id)
    if (!tested) throw notFound('alert target', id)
    const { isDelivered, status, failure, elapsedMs } = tested
    const after = { delivered: isDelivered, status, failure }
    await audited(this.#stores, exchange, gateway, { action: 'alert-targets.test', target: id, org, after })
    return json({ object: 'alert_test', target: id, ...after, elapsed_ms: elapsedMs })
  }

  /** Throws a 404, also for targets that the token may not see. */
  async #find(exchange: AdminExchange): Promise<AlertTargetView> {
    const id = pathId(exchange)
    new Query(exchange.query, [])
    const found = await this.#targets.find(id)
    const { admin } = exchange
    if (!found || (admin.org !== undefined && found.org !== admin.org)) throw notFound('alert target', id)
    return found
  }
}

function settingsOf({
  name,
  url,
  format,
  secret: given,
  kinds,
  min_severity: minSeverity,
  disabled,
}: TargetBody): Partial<AlertTargetSettings> {
  const secrets = given === undefined ? undefined : given === null ? [] : typeof given === 'string' ? [given] : given
  return {
    ...(name !== undefined && { name }),
    ...(url !== undefined && { url }),
    ...(format !== undefined && { format }),
    ...(secrets !== undefined && { secrets }),
    ...(kinds !== undefined && { kinds }),
    ...(minSeverity !== undefined && { minSeverity }),
    ...(disabled !== undefined && { disabled }),
  }
}

function positionOf({ createdAt, id }: AlertTargetView): { readonly at: number; readonly id: string } {
  return { at: createdAt, id }
}
