import {
  bodyValidator,
  GatewayError,
  type AdminExchange,
  type AdminServices,
  type AuditTrail,
  type Clock,
  type DashboardPage,
  type JsonObject,
} from '../../../core/index.ts'
import { securityHeaders } from './page.ts'
import type { Identity, Sessions } from './sessions.ts'
import { Tries } from './tries.ts'

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
  readonly #tries: Tries

  constructor(sessions: Sessions, audit: AuditTrail, clock: Clock) {
    this.#sessions = sessions
    this.#audit = audit
    this.#tries = new Tries(clock)
  }

  /** Who is signed in. A 200 without a session too, so that browsers note no error. */
  async show({ request }: AdminExchange, gateway: AdminServices, pages: readonly DashboardPage[]): Promise<Response> {
    const session = this.#sessions.read(request)
    const admin = session && (await this.#sessions.adminOf(session, gateway))
    if (!session || !admin) return json({ admin: null })
    return json({
      admin: { id: admin.id, name: session.name, role: admin.role, org: admin.org ?? null },
      anti_forgery: session.antiForgery,
      valid_until: new Date(session.validUntil).toISOString(),
      pages: pages.map(({ id, title, role = 'viewer' }) => ({ id, title, role })),
    })
  }

  async start(exchange: AdminExchange, gateway: AdminServices): Promise<Response> {
    const { request } = exchange
    const address = addressOf(request)
    this.#tries.check(address)
    const body = (await exchange.json()) as { readonly token: string }
    check(body)
    const { known } = await gateway.identify(body.token.trim()).catch((error: unknown) => {
      if (!(error instanceof GatewayError) || error.status !== 401) throw error
      this.#tries.failed(address)
      throw refused()
    })
    return await this.begin(exchange, gateway, { token: known }, known.id)
  }

  /** Starts a session, which the audit trail notes. */
  async begin({ request }: AdminExchange, gateway: AdminServices, identity: Identity, name: string): Promise<Response> {
    const { session, setCookie } = this.#sessions.start(request, identity, name)
    const admin = await this.#sessions.adminOf(session, gateway)
    if (!admin) throw refused()
    const { clock, ids } = gateway
    const entry = { actor: admin.id, action: 'sessions.create', target: admin.id, org: admin.org ?? null, changes: {} }
    await this.#audit.add({ id: ids.make('aud'), at: clock.now(), ...entry })
    return json({ signed_in: true }, 201, { 'set-cookie': setCookie })
  }

  end({ request }: AdminExchange): Response {
    return json({ signed_in: false }, 200, { 'set-cookie': this.#sessions.end(request) })
  }
}

function json(body: JsonObject, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json(body, { status, headers: { ...securityHeaders, 'cache-control': 'no-store', ...headers } })
}

function refused(): GatewayError {
  const message = 'This admin token or link is not valid, or not any more. Create a token with "turnpike admin-tokens create".'
  return new GatewayError({ status: 401, type: 'authentication_error', code: 'invalid_admin_token', message })
}

/** Where a request comes from. Behind a proxy, that is the proxy. */
function addressOf(request: Request): string {
  return (request as { readonly ip?: string }).ip ?? ''
}
