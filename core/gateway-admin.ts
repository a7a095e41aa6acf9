import { AdminAdmission, type AdminTokenSettings } from './admission/admin-admission.ts'
import { AuditTrail, type AuditEntry } from './contracts/audit-trail.ts'
import { Health } from './contracts/health.ts'
import { Clock } from './foundation/clock.ts'
import { Ids } from './foundation/ids.ts'
import { Masks } from './foundation/masks.ts'
import type { Container } from './framework/container.ts'
import { Logger } from './foundation/logger.ts'
import { AdminHosts, AdminRoutes } from './framework/extension-points.ts'
import { PolicySettings } from './guards/policy-settings.ts'
import { AdminApi } from './server/admin/api.ts'
import { Authenticators } from './server/admin/authenticators.ts'
import { AdminFacts } from './server/admin/facts.ts'
import { adminListener } from './server/admin/listener.ts'
import type { AdminReach } from './server/admin/reach.ts'
import { LiveAdminServices } from './server/admin/services.ts'
import { HttpApp } from './server/app.ts'

/** The admin API: serve `listener()` on its own port. */
export interface GatewayAdmin {
  /** For requests without a socket: `app.h3.request`. */
  readonly app: HttpApp
  /** For `node:http` and `node:https`. Without `reach`, it is known as `localhost` and by its address. */
  listener(reach?: AdminReach): HttpApp['listener']
  /** For this process only: the token of an owner, whose changes are audited as `command-line`. */
  readonly localToken: string
  /** True if nobody has a token yet. */
  isEmpty(): Promise<boolean>
  /** Creates a token, which is shown only once. It is audited. */
  issueToken(settings: AdminTokenSettings): Promise<string>
  /** Notes in the audit trail what this process changed by other means than the API. */
  note(change: Pick<AuditEntry, 'action' | 'target' | 'org' | 'changes'>): Promise<void>
  /** A code for a link that signs in as this token once, within 15 minutes. */
  issueLink(tokenText: string): Promise<string>
}

/** Assembles the admin API. Undefined if no plugin adds admin routes. */
export function adminOf(container: Container, facts: AdminFacts, adminToken: string | undefined): GatewayAdmin | undefined {
  if (container.get(AdminRoutes).values().length === 0) return undefined
  container.value(AdminFacts, facts)
  for (const part of [AdminAdmission, PolicySettings, LiveAdminServices, Authenticators, AdminApi]) container.singleton(part)
  const admission = container.get(AdminAdmission)
  if (adminToken !== undefined) {
    container.get(Masks.token).add(adminToken)
    admission.accept(adminToken)
  }
  const note: GatewayAdmin['note'] = async change => {
    if (!container.has(AuditTrail)) return
    const entry = { id: container.get(Ids).make('aud'), at: container.get(Clock).now(), actor: 'command-line', ...change }
    await container.get(AuditTrail).add(entry)
  }
  const api = container.get(AdminApi)
  const app = new HttpApp(api, container.get(Logger))
  return {
    app,
    listener: (reach = { hosts: [], trustedProxies: [] }) =>
      adminListener(app, api, container.get(Health), container.get(AdminHosts).values(), reach),
    localToken: admission.localToken,
    isEmpty: () => admission.isEmpty(),
    async issueToken(settings) {
      const { token, text } = await admission.issue(settings)
      const { id, name, role, org = null } = token
      const changes = { name: { from: null, to: name }, role: { from: null, to: role } }
      await note({ action: 'admin-tokens.create', target: id, org, changes })
      return text
    },
    note,
    issueLink: text => admission.issueLink(text),
  }
}
