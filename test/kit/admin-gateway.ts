import type { AdminRole } from '../../core/admin.ts'
import type { Clock } from '../../core/index.ts'
import type { PluginUse } from '../../core/framework/plugin.ts'
import admin from '../../plugins/endpoints/admin/index.ts'
import decisions from '../../plugins/endpoints/decisions/index.ts'
import accountPolicies from '../../plugins/policies/accounts/index.ts'
import { guarding } from './stage.ts'
import { gateway, type GatewayUnderTest } from './gateway.ts'

/** A reply of the admin API: its status and JSON. */
export interface Answer {
  readonly status: number
  readonly body: any
  readonly headers: Headers
}

export interface AdminGateway extends GatewayUnderTest {
  /** Asks as the owner, or with another token. Paths start below `/admin/v1`. */
  call(method: string, path: string, body?: unknown, token?: string): Promise<Answer>
  token(role: AdminRole, org?: string): Promise<string>
}

interface AdminGatewayOptions {
  readonly plugins?: readonly PluginUse[]
  /** In place of `account-policies`. */
  readonly policies?: readonly PluginUse[]
  readonly key?: object
  readonly clock?: Clock
}

/** A gateway in memory with the admin API, policies of accounts, and decisions. */
export async function adminGateway({ policies = [accountPolicies({})], ...options }: AdminGatewayOptions = {}): Promise<AdminGateway> {
  const enforcing = guarding(undefined, { enforces: ['zdr', 'hipaa', 'redaction'], settingsProblem: () => undefined })
  const under = await gateway({
    ...options,
    plugins: [admin({}), ...policies, decisions({}), enforcing, ...(options.plugins ?? [])],
  })
  const { app, localToken, issueToken } = under.gateway.admin!
  return {
    ...under,
    token: (role, org) => issueToken({ name: `${role} of ${org ?? 'all'}`, role, org }),
    async call(method, path, body, token = localToken) {
      const reply = await app.h3.request(path.startsWith('/admin/') ? path : `/admin/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await reply.text()
      const isJson = reply.headers.get('content-type') === 'application/json'
      return { status: reply.status, body: isJson && text !== '' ? JSON.parse(text) : text, headers: reply.headers }
    },
  }
}
