import type { AdminExchange, AdminServices } from '../../../core/admin.ts'
import { invalidRequest, type JsonObject, type Reply } from '../../../core/index.ts'
import { bodyValidator, describeError } from '../../../core/kit.ts'
import { maxCreditUsd, type Account, type CreditEntry } from '../../../core/stores.ts'
import { audited } from './audit.ts'
import { pathId } from './path-id.ts'
import { pageParameters, Query } from './query.ts'
import { notFound } from './refusals.ts'
import { json, page, time } from './replies.ts'
import type { Stores } from './stores.ts'

export const creditSchema: JsonObject = {
  type: 'object',
  required: ['amount_usd'],
  additionalProperties: false,
  properties: {
    amount_usd: { type: 'number', minimum: -maxCreditUsd, maximum: maxCreditUsd, description: 'Negative amounts deduct credit.' },
    note: { type: ['string', 'null'], maxLength: 500, description: 'Such as an invoice number.' },
  },
}
const check = bodyValidator(creditSchema)

/** The credit of an organization. */
export class Credits {
  readonly #stores: Stores

  constructor(stores: Stores) {
    this.#stores = stores
  }

  async list(exchange: AdminExchange): Promise<Reply> {
    const { id: org, hasCredit } = await this.#org(exchange)
    const { pageLimit, ...wanted } = new Query(exchange.query, pageParameters).page('credits')
    const found = await this.#stores.ledger.entries(org, wanted)
    const balance = hasCredit ? await this.#stores.ledger.balance(org) : null
    const show = (entries: readonly CreditEntry[]): readonly JsonObject[] => entries.map(shown)
    return await page('credits', found, pageLimit, entry => entry, show, { balance_usd: balance })
  }

  async add(exchange: AdminExchange, gateway: AdminServices): Promise<Reply> {
    const account = await this.#org(exchange)
    const body = (await exchange.json()) as { readonly amount_usd: number; readonly note?: string | null }
    check(body)
    if (Math.round(body.amount_usd * 1e9) === 0)
      throw invalidRequest("Invalid value for 'amount_usd': expected an amount other than 0.", 'amount_usd')
    const { ledger, accounts } = this.#stores
    const { id: org } = account
    const entry: CreditEntry = {
      id: gateway.ids.make('cred'),
      org,
      at: ledger.now?.() ?? gateway.clock.now(),
      amountUsd: body.amount_usd,
      note: body.note ?? null,
      requestId: null,
    }
    const balance = await ledger.addCredit(entry)
    if (balance === undefined) throw outOfBounds(body.amount_usd, await ledger.balance(org))
    if (!account.hasCredit) await accounts.update(account, { hasCredit: true })
    if (body.amount_usd > 0) await this.#tellAdded(exchange, gateway, org, balance)
    const before = account.hasCredit ? Math.round((balance - body.amount_usd) * 1e9) / 1e9 : null
    await audited(this.#stores, exchange, gateway, {
      action: 'credits.create',
      target: entry.id,
      org,
      before: { credit_balance_usd: before },
      after: { credit_balance_usd: balance, amount_usd: entry.amountUsd, note: entry.note },
    })
    return json({ ...shown(entry), balance_usd: balance }, 201)
  }

  /** The credit is there, whatever becomes of alerts about it. */
  async #tellAdded({ log, id }: AdminExchange, gateway: AdminServices, org: string, balanceUsd: number): Promise<void> {
    try {
      await gateway.creditAdded(org, balanceUsd)
    } catch (error) {
      log.warn('could not note that credit was added, so alerts may count it as spent', { request: id, org, ...describeError(error) })
    }
  }

  async #org(exchange: AdminExchange): Promise<Account> {
    const id = pathId(exchange)
    const { org = id } = exchange.admin
    const account = org === id ? await this.#stores.accounts.find({ level: 'org', org: id, id }) : undefined
    if (!account) throw notFound('organization', id)
    return account
  }
}

function outOfBounds(amountUsd: number, balanceUsd: number): Error {
  const reason =
    amountUsd < 0 ? `the organization has only ${balanceUsd} USD` : `the credit of an organization is at most ${maxCreditUsd} USD`
  return invalidRequest(`Invalid value for 'amount_usd': ${reason}.`, 'amount_usd')
}

function shown({ id, org, at, amountUsd, note, requestId }: CreditEntry): JsonObject {
  return { object: 'credit_entry', id, org, amount_usd: amountUsd, note, request_id: requestId, created_at: time(at) }
}
