import { AdminAdmission, type AdminTokenSettings } from './admission/admin-admission.ts'
import { Masks } from './foundation/masks.ts'
import type { Container } from './framework/container.ts'
import { AdminRoutes } from './framework/extension-points.ts'
import { PolicySettings } from './guards/policy-settings.ts'
import { AdminApp } from './http/admin/app.ts'
import { AdminFacts } from './http/admin/facts.ts'
import { LiveAdminServices } from './http/admin/services.ts'

/** The admin API: serve `app.h3` on a listener of its own. */
export interface GatewayAdmin {
  readonly app: AdminApp
  /** For this process only: the token of an owner, whose changes are audited as `command-line`. */
  readonly localToken: string
  /** Whether nobody has a token yet. */
  isEmpty(): Promise<boolean>
  /** Creates a token, which is shown only once. */
  issueToken(settings: AdminTokenSettings): Promise<string>
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
  return {
    app: container.get(AdminApp),
    localToken: admission.localToken,
    isEmpty: () => admission.isEmpty(),
    issueToken: async settings => (await admission.issue(settings)).text,
    issueLink: text => admission.issueLink(text),
  }
}
