import { AdminAdmission, type AdminTokenSettings } from './admission/admin-admission.ts'
import { AuditTrail, type AuditEntry } from './contracts/audit-trail.ts'
import { Clock } from './foundation/clock.ts'
import { Ids } from './foundation/ids.ts'
import { Masks } from './foundation/masks.ts'
import type { Container } from './framework/container.ts'
import { AdminRoutes } from './framework/extension-points.ts'
import { PolicySettings } from './guards/policy-settings.ts'
import { AdminApp } from './server/admin/app.ts'
import { AdminFacts } from './server/admin/facts.ts'
import { LiveAdminServices } from './server/admin/services.ts'

/** The admin API: serve `app.h3` on a listener of its own. */
export interface GatewayAdmin {
  readonly app: AdminApp
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
  for (const part of [AdminAdmission, PolicySettings, LiveAdminServices, AdminApp]) container.singleton(part)
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
  return {
    app: container.get(AdminApp),
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
