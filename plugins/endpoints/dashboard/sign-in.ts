import { FailedTries, type AdminExchange, type AdminServices, type DashboardPage } from '../../../core/admin.ts'
import { GatewayError, type JsonObject } from '../../../core/index.ts'
import { bodyValidator } from '../../../core/kit.ts'
import type { AuditTrail } from '../../../core/stores.ts'
import { redirect, refused as refusedOpenId, type OpenId } from './openid.ts'
import { securityHeaders } from './page.ts'
import { isForeign, type Identity, type Sessions } from './sessions.ts'

const check = bodyValidator({
  type: 'object',
  required: ['token'],
  additionalProperties: false,
  properties: { token: { type: 'string', minLength: 1, maxLength: 1_000, description: 'An admin token, or the code of a link.' } },
})

/** Signs browsers in and out. */
export class SignIn {
  readonly #sessions: Sessions
  readonly #audit: AuditTrail
  readonly #openId: OpenId | undefined
  readonly #tries: FailedTries

  constructor(sessions: Sessions, audit: AuditTrail, tries: FailedTries, openId: OpenId | undefined) {
    this.#sessions = sessions
    this.#audit = audit
    this.#openId = openId
    this.#tries = tries
  }

  /** Who is signed in. A 200 without a session too, so that browsers note no error. */
  async show({ request }: AdminExchange, gateway: AdminServices, pages: readonly DashboardPage[]): Promise<Response> {
    const session = await this.#sessions.read(request)
    const admin = session && (await this.#sessions.adminOf(session, gateway))
    if (!session || !admin) return json({ admin: null, openid: this.#openId ? { name: this.#openId.name } : null })
    return json({
      admin: { id: admin.id, name: session.name, role: admin.role, org: admin.org ?? null },
      anti_forgery: session.antiForgery,
      valid_until: new Date(session.validUntil).toISOString(),
      pages: pages.map(({ id, title, role = 'viewer' }) => ({ id, title, role })),
    })
  }

  async start(exchange: AdminExchange, gateway: AdminServices): Promise<Response> {
    const { request } = exchange
    if (isForeign(request)) throw refused()
    const body = (await exchange.json()) as { readonly token: string }
    check(body)
    const { known, name } = await gateway.identify(body.token.trim()).catch((error: unknown) => {
      if (!(error instanceof GatewayError) || error.status !== 401) throw error
      this.#tries.failed(body.token.trim(), exchange.address ?? '')
      throw refused()
    })
    return json({ signed_in: true }, 201, { 'set-cookie': await this.#begin(request, gateway, { token: known }, name) })
  }

  /** Sends the browser to the identity provider. */
  async startOpenId({ request }: AdminExchange): Promise<Response> {
    return (await this.#openId?.start(request, this.#sessions.cookie)) ?? redirect('./')
  }

  /** Takes the browser back from the identity provider. */
  async finishOpenId({ request }: AdminExchange, gateway: AdminServices): Promise<Response> {
    const found = await this.#openId?.finish(request, this.#sessions.cookie)
    if (!found) return redirect('./')
    if ('refusal' in found) return refusedOpenId(found.refusal, found.clear)
    return redirect('./', found.clear, await this.#begin(request, gateway, { person: found.person }, found.name))
  }

  async end({ request }: AdminExchange): Promise<Response> {
    return json({ signed_in: false }, 200, { 'set-cookie': await this.#sessions.end(request) })
  }

  /** Starts a session, which the audit trail notes. Returns the header with its cookie. */
  async #begin(request: Request, gateway: AdminServices, identity: Identity, name: string): Promise<string> {
    const { session, setCookie } = this.#sessions.start(request, identity, name)
    const admin = await this.#sessions.adminOf(session, gateway)
    if (!admin) throw refused()
    const { clock, ids } = gateway
    const changes = { name: { from: null, to: name } }
    const entry = { actor: admin.id, action: 'sessions.create', target: admin.id, org: admin.org ?? null, changes }
    await this.#audit.add({ id: ids.make('aud'), at: clock.now(), ...entry })
    return setCookie
  }
}

function json(body: JsonObject, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json(body, { status, headers: { ...securityHeaders, 'cache-control': 'no-store', ...headers } })
}

function refused(): GatewayError {
  const message =
    'This admin token or link is not valid. It may have been used or revoked, or it may have expired. Create a token with "npx turnpike admin-tokens create".'
  return new GatewayError({ status: 401, type: 'authentication_error', code: 'invalid_admin_token', message })
}
