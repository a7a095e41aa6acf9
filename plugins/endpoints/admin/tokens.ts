import { invalidRequest, type JsonObject, type Reply } from '../../../core/index.ts'
import { bodyValidator } from '../../../core/kit.ts'
import type { AdminToken } from '../../../core/stores.ts'
import { adminRoles, type AdminExchange, type AdminRole, type AdminServices } from '../../../core/admin.ts'
import { audited } from './audit.ts'
import { idText, nameText } from './member-schemas.ts'
import { pathId } from './path-id.ts'
import { pageParameters, Query } from './query.ts'
import { forbidden, notFound } from './refusals.ts'
import { json, pageOfAll, time } from './replies.ts'
import type { Stores } from './stores.ts'

export const newTokenSchema: JsonObject = {
  type: 'object',
  required: ['name', 'role'],
  additionalProperties: false,
  properties: {
    name: nameText,
    role: { enum: [...adminRoles] },
    org: {
      ...idText,
      type: ['string', 'null'],
      description: 'The only organization that the token may see and change. Default: that of the admin token. Null: all.',
    },
  },
}
const check = bodyValidator(newTokenSchema)

/** The routes of admin tokens. An owner of one organization manages the tokens of that organization. */
export class Tokens {
  readonly #stores: Stores

  constructor(stores: Stores) {
    this.#stores = stores
  }

  async list(exchange: AdminExchange): Promise<Reply> {
    const query = new Query(exchange.query, pageParameters)
    const tokens = (await this.#stores.adminTokens.list()).map(copyOf).filter(token => isVisible(exchange, token))
    return await pageOfAll('admin-tokens', tokens, query, ({ id }) => id, shown)
  }

  async create(exchange: AdminExchange, gateway: AdminServices): Promise<Reply> {
    const body = (await exchange.json()) as { readonly name: string; readonly role: AdminRole; readonly org?: string | null }
    check(body)
    const { admin } = exchange
    const org = body.org === undefined ? admin.org : (body.org ?? undefined)
    if (admin.org !== undefined && org === undefined)
      throw forbidden('Tokens for all organizations can be created only with a token for all organizations.')
    if (org !== undefined && ((admin.org ?? org) !== org || !(await this.#stores.accounts.find({ level: 'org', org, id: org }))))
      throw invalidRequest(`No organization has the id "${org}". Create it first.`, 'org')
    const { token, text } = await gateway.issueToken({ name: body.name, role: body.role, org })
    await audited(this.#stores, exchange, gateway, {
      action: 'admin-tokens.create',
      target: token.id,
      org: org ?? null,
      after: shown(token),
    })
    return json({ token: text, ...shown(token) }, 201)
  }

  async remove(exchange: AdminExchange, gateway: AdminServices): Promise<Reply> {
    const id = pathId(exchange)
    const found = await this.#stores.adminTokens.find(id)
    const token = found && copyOf(found)
    if (!token || !isVisible(exchange, token) || !(await this.#stores.adminTokens.remove(id))) throw notFound('admin token', id)
    await audited(this.#stores, exchange, gateway, {
      action: 'admin-tokens.delete',
      target: id,
      org: token.org ?? null,
      before: shown(token),
    })
    return json({ object: 'admin_token', id, deleted: true })
  }
}

/** Reads each member once. A store may hold tokens that nobody can use: they are listed, and can be deleted. */
function copyOf({ id, hash, name, role, org, createdAt }: AdminToken): AdminToken {
  return { id, hash, name, role, org, createdAt }
}

function isVisible({ admin }: AdminExchange, { org }: AdminToken): boolean {
  return admin.org === undefined || admin.org === org
}

function shown({ id, name, role, org, createdAt }: AdminToken): JsonObject {
  return { object: 'admin_token', id, name, role, org: org ?? null, created_at: time(createdAt) }
}
