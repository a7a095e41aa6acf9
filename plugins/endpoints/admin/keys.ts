import { isDeepStrictEqual } from 'node:util'
import { invalidRequest, type JsonObject, type PolicyLayer, type Reply } from '../../../core/index.ts'
import { bodyValidator } from '../../../core/kit.ts'
import type { Account, ApiKey, KeySettings } from '../../../core/stores.ts'
import { policyFields, type AdminExchange, type AdminServices, type EffectivePolicy } from '../../../core/admin.ts'
import { accountObjects } from './account-object.ts'
import { audited } from './audit.ts'
import { countEarlierSpend } from './earlier-spend.ts'
import { checkKeyChange, checkNewKey, keyChange, type KeyBody } from './key-change.ts'
import { factsOf, keyObject, keyObjects, policyFacts, settingsOf } from './key-object.ts'
import { OperatorLocks } from './operator-locks.ts'
import { pathId } from './path-id.ts'
import { pageParameters, Query } from './query.ts'
import { conflict, notFound } from './refusals.ts'
import { json, page } from './replies.ts'
import type { Stores } from './stores.ts'

export const rotationSchema: JsonObject = {
  type: 'object',
  additionalProperties: false,
  properties: {
    grace_seconds: {
      type: 'integer',
      minimum: 0,
      maximum: 31_536_000,
      description: 'How long the old secret stays valid. Default: 0, which ends all earlier secrets.',
    },
  },
}
const checkRotation = bodyValidator(rotationSchema)
const nouns = { org: 'organization', team: 'team', user: 'user' } as const

/** The routes of API keys. */
export class Keys {
  readonly #stores: Stores
  readonly #guardrails: () => readonly string[]

  /** `guardrails`: the names of those that are loaded. */
  constructor(stores: Stores, guardrails: () => readonly string[]) {
    this.#stores = stores
    this.#guardrails = guardrails
  }

  async list(exchange: AdminExchange, gateway: AdminServices): Promise<Reply> {
    const query = new Query(exchange.query, [...pageParameters, 'org', 'team', 'user'])
    const { pageLimit, ...wanted } = query.page('keys')
    const { admin } = exchange
    const org = query.text('org')
    const isHidden = admin.org !== undefined && org !== undefined && org !== admin.org
    const filter = { org: admin.org ?? org, team: query.text('team'), user: query.text('user') }
    const found = isHidden ? [] : await this.#stores.keys.page(filter, wanted)
    return await page('keys', found, pageLimit, positionOf, keys => keyObjects(this.#stores, gateway, keys))
  }

  async get(exchange: AdminExchange, gateway: AdminServices): Promise<Reply> {
    return json(await this.#show(gateway, await this.find(exchange, pathId(exchange))))
  }

  async policy(exchange: AdminExchange, gateway: AdminServices): Promise<Reply> {
    const { policy, lockedBy } = await gateway.effectivePolicy(await this.find(exchange, pathId(exchange)))
    return json(
      Object.fromEntries(
        policyFields.map(field => {
          const { value, source, settings } = policy[field]
          return [field, { value, ...(settings && { settings }), policy_source: source, locked_by: lockedBy[field] }]
        }),
      ),
    )
  }

  async create(exchange: AdminExchange, gateway: AdminServices): Promise<Reply> {
    const body = (await exchange.json()) as KeyBody
    checkNewKey(body)
    await gateway.checkPolicySettings(body.policy ?? {})
    const owner = await this.#owner(exchange, gateway, body)
    const settings: KeySettings = { policy: {}, ...keyChange({ policy: {} }, body), name: body.name!, ...owner }
    this.#checkGuardrails(settings)
    await new OperatorLocks(this.#stores).checkNewKey(exchange.admin, owner)
    const draft: ApiKey = { policy: {}, ...settings, ...owner, id: '', hash: '', createdAt: 0 }
    refuseAgainstLocks(await gateway.effectivePolicy(draft), settings.policy ?? {}, undefined)
    const { key, text } = await gateway.issueKey(settings)
    await audited(this.#stores, exchange, gateway, { action: 'keys.create', target: key.id, org: key.org, after: settingsOf(key) })
    const { spendCapUsd: leftUsd } = key
    const standing = { spentUsd: 0, heldUsd: leftUsd === undefined ? undefined : 0, leftUsd }
    const facts = { ...(await policyFacts(gateway, key)), lastUsedAt: undefined, ...standing }
    return json({ key: text, ...keyObject(key, facts), warnings: gateway.keyWarnings(key) }, 201)
  }

  async update(exchange: AdminExchange, gateway: AdminServices): Promise<Reply> {
    const key = await this.find(exchange, pathId(exchange))
    const body = (await exchange.json()) as KeyBody
    checkKeyChange(body)
    await gateway.checkPolicySettings(body.policy ?? {})
    const change = keyChange(key, body)
    const changed = { ...key, ...change }
    this.#checkGuardrails(changed)
    const { id, spendCapUsd, spendPeriod: period } = changed
    if (change.policy) refuseAgainstLocks(await gateway.effectivePolicy(key), change.policy, key.policy)
    if (spendCapUsd !== undefined && ('spendCapUsd' in change || 'spendPeriod' in change))
      await countEarlierSpend(this.#stores, gateway, { account: `key:${id}`, period, key: id })
    const [facts] = await factsOf(this.#stores, gateway, [changed])
    let [before, after] = [key, changed]
    // Others may have changed the key meanwhile.
    const isThere = await this.#stores.keys.update(key.id, current => {
      const next = keyChange(current, body)
      ;[before, after] = [current, { ...current, ...next }]
      return next
    })
    if (!isThere) throw notFound('key', key.id)
    await audited(this.#stores, exchange, gateway, {
      action: 'keys.update',
      target: key.id,
      org: key.org,
      before: settingsOf(before),
      after: settingsOf(after),
    })
    return json({ ...keyObject(after, facts!), warnings: gateway.keyWarnings(after) })
  }

  /** A key that has records is only disabled and hidden, so that they still tell whose they are. */
  async remove(exchange: AdminExchange, gateway: AdminServices): Promise<Reply> {
    const { id, org, ...key } = await this.find(exchange, pathId(exchange))
    const { keys, records } = this.#stores
    const isUsed = (await records.keyUse([id])).has(id)
    const removed = isUsed ? await keys.update(id, { disabled: true, hidden: true }) : await keys.remove(id)
    if (!removed) throw notFound('key', id)
    await audited(this.#stores, exchange, gateway, { action: 'keys.delete', target: id, org, before: settingsOf({ id, org, ...key }) })
    return json({ object: 'key', id, deleted: true })
  }

  async rotate(exchange: AdminExchange, gateway: AdminServices): Promise<Reply> {
    const key = await this.find(exchange, pathId(exchange))
    const body = (await exchange.json()) as { readonly grace_seconds?: number }
    checkRotation(body)
    const [facts] = await factsOf(this.#stores, gateway, [key])
    const graceSeconds = body.grace_seconds ?? 0
    const text = await gateway.rotateKey(key.id, graceSeconds * 1000)
    if (text === undefined) throw notFound('key', key.id)
    await audited(this.#stores, exchange, gateway, {
      action: 'keys.rotate',
      target: key.id,
      org: key.org,
      after: { grace_seconds: graceSeconds },
    })
    return json({ key: text, ...keyObject((await this.#stores.keys.find(key.id)) ?? key, facts!) })
  }

  /** Throws a 404, also for hidden keys and those of organizations that the token may not see. */
  async find({ admin }: AdminExchange, id: string): Promise<ApiKey> {
    const key = await this.#stores.keys.find(id)
    if (!key || key.hidden || (admin.org ?? key.org) !== key.org) throw notFound('key', id)
    return key
  }

  /** A key of a user belongs to the user's team, too. */
  async #owner(exchange: AdminExchange, gateway: AdminServices, body: KeyBody): Promise<Pick<ApiKey, 'org' | 'team' | 'user'>> {
    const { admin } = exchange
    const { accounts } = this.#stores
    const org = body.org ?? admin.org ?? 'default'
    const unknown = (level: keyof typeof nouns, id: string): Error =>
      invalidRequest(
        `No ${nouns[level]} has the id "${id}"${level === 'org' ? '' : ` in the organization "${org}"`}. Create it first.`,
        level,
      )
    if ((admin.org ?? org) !== org) throw unknown('org', org)
    if (!(await accounts.find({ level: 'org', org, id: org }))) {
      if (org !== 'default') throw unknown('org', org)
      const account: Account = { level: 'org', org, id: org, name: 'Default', policy: {}, createdAt: gateway.clock.now() }
      if (await accounts.add(account)) {
        const after = (await accountObjects(this.#stores, [account]))[0]!
        await audited(this.#stores, exchange, gateway, { action: 'orgs.create', target: org, org, after })
      }
    }
    const user = body.user ? await accounts.find({ level: 'user', org, id: body.user }) : undefined
    if (body.user && !user) throw unknown('user', body.user)
    const team = body.team ?? user?.team
    if (team !== undefined && !(await accounts.find({ level: 'team', org, id: team }))) throw unknown('team', team)
    if (user?.team !== undefined && user.team !== team)
      throw invalidRequest(`Invalid value for 'team': the user "${user.id}" belongs to the team "${user.team}".`, 'team')
    return { org, team, user: user?.id }
  }

  #checkGuardrails({ guardrails = [] }: Pick<ApiKey, 'guardrails'>): void {
    const known = this.#guardrails()
    for (const [index, name] of guardrails.entries()) {
      if (known.includes(name)) continue
      const path = `guardrails[${index}]`
      throw invalidRequest(`Invalid value for '${path}': no guardrail "${name}" is loaded. Expected ${known.join(', ') || 'none'}.`, path)
    }
  }

  async #show(gateway: AdminServices, key: ApiKey): Promise<JsonObject> {
    return (await keyObjects(this.#stores, gateway, [key]))[0]!
  }
}

/** Throws a 409 that names the level. `own`: what the key has so far; undefined for a new key, which may only agree with a lock. */
function refuseAgainstLocks({ policy, lockedBy }: EffectivePolicy, wanted: PolicyLayer, own: PolicyLayer | undefined): void {
  for (const field of policyFields) {
    const level = lockedBy[field]
    if (level === null) continue
    const allowed = own ? isDeepStrictEqual(wanted[field], own[field]) : wanted[field] === undefined || agrees(wanted[field], policy[field])
    if (!allowed)
      throw conflict(
        `The ${nouns[level]} enforces "${field}": ${policy[field].value ? 'on' : 'off'}. Keys below it cannot change it. Change the policy of the ${nouns[level]}.`,
        `policy.${field}`,
        'policy_locked',
      )
  }
}

function agrees(wanted: NonNullable<PolicyLayer['zdr']>, { value, settings }: EffectivePolicy['policy']['zdr']): boolean {
  return wanted.value === value && (wanted.settings === undefined || isDeepStrictEqual(wanted.settings, settings))
}

function positionOf({ createdAt, id }: ApiKey): { readonly at: number; readonly id: string } {
  return { at: createdAt, id }
}
