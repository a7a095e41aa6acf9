import { invalidRequest, type Reply } from '../../../core/index.ts'
import { spendAccountOf, type Account, type AccountLevel } from '../../../core/stores.ts'
import type { AdminExchange, AdminServices, AlertTargets } from '../../../core/admin.ts'
import { accountChange, checkChange, checkNew, type AccountBody } from './account-change.ts'
import { accountObjects } from './account-object.ts'
import { audited } from './audit.ts'
import { countEarlierSpend } from './earlier-spend.ts'
import { checkMayDelete, OperatorLocks } from './operator-locks.ts'
import { moveKeys } from './move-keys.ts'
import { pathId } from './path-id.ts'
import { pageParameters, Query } from './query.ts'
import { conflict, forbidden, notFound } from './refusals.ts'
import { json, page } from './replies.ts'
import type { Stores } from './stores.ts'

const nouns = { org: 'organization', team: 'team', user: 'user' } as const

/** The routes of one level: `orgs`, `teams` or `users`. */
export class Accounts {
  readonly #stores: Stores
  readonly #level: AccountLevel
  readonly #locks: OperatorLocks
  readonly #alertTargets: AlertTargets | undefined

  constructor(stores: Stores, level: AccountLevel, alertTargets?: AlertTargets) {
    this.#stores = stores
    this.#level = level
    this.#alertTargets = alertTargets
    this.#locks = new OperatorLocks(stores)
  }

  async list(exchange: AdminExchange): Promise<Reply> {
    const { admin } = exchange
    const level = this.#level
    const query = new Query(exchange.query, [...pageParameters, ...(level === 'org' ? [] : ['org']), ...(level === 'user' ? ['team'] : [])])
    const { pageLimit, ...wanted } = query.page(level)
    const org = query.text('org')
    if (admin.org !== undefined && org !== undefined && org !== admin.org) return await page(level, [], pageLimit, positionOf, () => [])
    const filter = { level, org: admin.org ?? org, team: query.text('team') }
    const found = await this.#stores.accounts.page(filter, wanted)
    return await page(level, found, pageLimit, positionOf, accounts => accountObjects(this.#stores, accounts))
  }

  async get(exchange: AdminExchange): Promise<Reply> {
    return json(await this.#show(await this.#find(exchange)))
  }

  async create(exchange: AdminExchange, gateway: AdminServices): Promise<Reply> {
    const level = this.#level
    const body = (await exchange.json()) as AccountBody
    checkNew[level](body)
    await gateway.checkPolicySettings(body.policy ?? {})
    checkIsRead(gateway, level, body)
    const id = body.id ?? gateway.ids.make(level)
    const org = level === 'org' ? id : body.org!
    if (level !== 'org') await this.#requireAbove(exchange, org, body.team ?? undefined)
    const account: Account = {
      policy: {},
      createdAt: gateway.clock.now(),
      ...accountChange(exchange.admin, { policy: {} }, body),
      level,
      org,
      id,
      name: body.name!,
    }
    await this.#locks.checkBelow(exchange.admin, { ...account, policy: {} }, body.policy ?? {})
    if (!(await this.#stores.accounts.add(account)))
      throw conflict(`The ${nouns[level]} "${id}" exists, or existed before. Choose another id.`, 'id')
    const shown = await this.#show(account)
    await audited(this.#stores, exchange, gateway, { action: `${level}s.create`, target: id, org, after: shown })
    return json(shown, 201)
  }

  async update(exchange: AdminExchange, gateway: AdminServices): Promise<Reply> {
    const account = await this.#find(exchange)
    const { admin } = exchange
    const body = (await exchange.json()) as AccountBody
    checkChange[account.level](body)
    await gateway.checkPolicySettings(body.policy ?? {})
    checkIsRead(gateway, account.level, body)
    if (body.team != null) await this.#requireAbove(exchange, account.org, body.team)
    if (account.level === 'org' && admin.org !== undefined && (body.spend_cap_usd !== undefined || body.spend_period !== undefined))
      throw forbidden('Only a token for all organizations can change the spend cap of an organization.')
    const change = accountChange(admin, account, body)
    await this.#locks.checkBelow(admin, account, body.policy ?? {})
    if (body.team !== undefined) await this.#locks.checkMove(admin, account, change.team)
    const { spendCapUsd, spendPeriod: period } = { ...account, ...change }
    if (spendCapUsd !== undefined && ('spendCapUsd' in change || 'spendPeriod' in change)) {
      const { level, org, id } = account
      const spender = { account: spendAccountOf(account), period, org, ...(level !== 'org' && { [level]: id }) }
      await countEarlierSpend(this.#stores, gateway, spender)
    }
    // The keys move first, so that a change that fails half-way can be repeated.
    if (body.team !== undefined) await moveKeys(this.#stores, exchange, gateway, account, change.team)
    let [earlier, later] = [account, account]
    // Others may have changed the account meanwhile.
    const isThere = await this.#stores.accounts.update(account, current => {
      const next = accountChange(admin, current, body)
      ;[earlier, later] = [current, { ...current, ...next }]
      return next
    })
    if (!isThere) throw notFound(nouns[this.#level], account.id)
    // Those that were made meanwhile.
    if (body.team !== undefined) await moveKeys(this.#stores, exchange, gateway, account, change.team)
    const [before, after] = [await this.#show(earlier), await this.#show(later)]
    await audited(this.#stores, exchange, gateway, {
      action: `${this.#level}s.update`,
      target: account.id,
      org: account.org,
      before,
      after,
    })
    return json(after)
  }

  async remove(exchange: AdminExchange, gateway: AdminServices): Promise<Reply> {
    const account = await this.#find(exchange)
    const { accounts, keys } = this.#stores
    const { level, org, id } = account
    checkMayDelete(exchange.admin, account)
    const used = await keys.page({ org, ...(level !== 'org' && { [level]: id }) }, { limit: 1 })
    const outcome = used.length > 0 ? 'in-use' : await accounts.remove(account)
    if (outcome === 'unknown') throw notFound(nouns[level], id)
    if (outcome === 'in-use')
      throw conflict(
        `The ${nouns[level]} "${id}" still has ${used.length > 0 ? 'keys' : 'teams, users or keys'}. Delete those first.`,
        'id',
      )
    if (level === 'org') await this.#alertTargets?.removeAll(id)
    await audited(this.#stores, exchange, gateway, { action: `${level}s.delete`, target: id, org, before: await this.#show(account) })
    return json({ object: level, id, deleted: true })
  }

  /** Throws a 404, also for accounts of organizations that the token may not see. */
  async #find(exchange: AdminExchange): Promise<Account> {
    const level = this.#level
    const id = pathId(exchange)
    const query = new Query(exchange.query, level === 'org' ? [] : ['org'])
    const org = query.text('org')
    const found = (await this.#stores.accounts.named(level, id)).filter(
      account => (exchange.admin.org ?? account.org) === account.org && (org ?? account.org) === account.org,
    )
    if (found.length === 0) throw notFound(nouns[level], id)
    if (found.length > 1) {
      const orgs = found.map(account => account.org).join(', ')
      throw conflict(
        `Several organizations have a ${nouns[level]} "${id}": ${orgs}. Name one with ?org=, or with --org on the command line.`,
        'org',
        'ambiguous_id',
      )
    }
    return found[0]!
  }

  async #requireAbove({ admin }: AdminExchange, org: string, team: string | undefined): Promise<void> {
    const { accounts } = this.#stores
    const known = (admin.org ?? org) === org && (await accounts.find({ level: 'org', org, id: org }))
    if (!known) throw invalidRequest(`No organization has the id "${org}". Create it first.`, 'org')
    if (team !== undefined && !(await accounts.find({ level: 'team', org, id: team })))
      throw invalidRequest(`The organization "${org}" has no team "${team}". Create it first.`, 'team')
  }

  async #show(account: Account): Promise<Record<string, unknown>> {
    return (await accountObjects(this.#stores, [account]))[0]!
  }
}

/** Throws a 409 for a lock that nothing would enforce. */
function checkIsRead(gateway: AdminServices, level: AccountLevel, { policy = {} }: AccountBody): void {
  const locked = Object.keys(policy).find(field => policy[field]?.enforced)
  if (locked === undefined || gateway.readsAccountPolicies(level)) return
  throw conflict(
    `No loaded plugin reads the stored policy of ${nouns[level]}s, so "${locked}" would not be enforced. Load one that does, such as account-policies.`,
    `policy.${locked}`,
    'policy_not_read',
  )
}

function positionOf({ createdAt, id }: Account): { readonly at: number; readonly id: string } {
  return { at: createdAt, id }
}
