import { AdminAdmission, type AdminTokenSettings } from '../../admission/admin-admission.ts'
import { KeyIssuer } from '../../admission/key-issuer.ts'
import { KeyWarnings } from '../../admission/key-warnings.ts'
import { PolicyResolver } from '../../admission/policy.ts'
import { Tickets } from '../../admission/tickets.ts'
import { Alerts } from '../../alerts/alerts.ts'
import { ProviderStates } from '../../call/attempts/provider-states.ts'
import { SessionIds } from '../../call/session-ids.ts'
import type { AccountLevel } from '../../contracts/account-store.ts'
import type {
  Admin,
  AdminServices,
  AskedRoute,
  EffectivePolicy,
  KnownToken,
  OpenTrial,
  OptionFacts,
  PluginFacts,
} from '../../contracts/admin-route.ts'
import type { AdminToken } from '../../contracts/admin-token-store.ts'
import { Catalog } from '../../contracts/catalog.ts'
import type { GatewayLoad } from '../../contracts/gateway-load.ts'
import type { ApiKey, KeySettings } from '../../contracts/key-store.ts'
import type { ProviderState } from '../../contracts/provider-state.ts'
import { Clock } from '../../foundation/clock.ts'
import { Ids } from '../../foundation/ids.ts'
import type { JsonObject } from '../../foundation/json.ts'
import { ownerPath } from '../../foundation/owner-path.ts'
import { wire, type Dependencies } from '../../framework/container.ts'
import { Routes } from '../../framework/extension-points.ts'
import { PolicySettings, type PolicyWithSettings } from '../../guards/policy-settings.ts'
import { RoutePreviews } from '../../routing/preview.ts'
import { HttpApp } from '../app.ts'
import { AdminFacts } from './facts.ts'
import { LiveLoad } from './live-load.ts'

const dependencies = {
  admission: AdminAdmission,
  alerts: Alerts,
  catalog: Catalog,
  clock: Clock,
  facts: AdminFacts,
  http: HttpApp,
  ids: Ids,
  issuer: KeyIssuer,
  load: LiveLoad,
  policies: PolicyResolver,
  policySettings: PolicySettings,
  previews: RoutePreviews,
  routes: Routes,
  sessions: SessionIds,
  states: ProviderStates,
  tickets: Tickets,
  warnings: KeyWarnings,
}

/** The services of the gateway for the admin routes. */
export class LiveAdminServices implements AdminServices {
  readonly catalog: Catalog
  readonly clock: Clock
  readonly ids: Ids
  readonly plugins: readonly PluginFacts[]
  readonly settings: readonly OptionFacts[]
  readonly trials: readonly OpenTrial[]
  readonly #parts: Dependencies<typeof dependencies>

  static {
    wire(this, dependencies)
  }

  constructor(parts: Dependencies<typeof dependencies>) {
    this.catalog = parts.catalog
    this.clock = parts.clock
    this.ids = parts.ids
    this.plugins = parts.facts.plugins
    this.settings = parts.facts.settings
    this.trials = parts.routes.values().flatMap(({ path, trial }) => (trial ? { path, ...trial } : []))
    this.#parts = parts
  }

  issueKey(settings: KeySettings): Promise<{ readonly key: ApiKey; readonly text: string }> {
    return this.#parts.issuer.issue(settings)
  }

  creditAdded(org: string, balanceUsd: number): Promise<void> {
    return this.#parts.alerts.creditAdded(org, balanceUsd)
  }

  rotateKey(id: string, graceMs: number): Promise<string | undefined> {
    return this.#parts.issuer.rotate(id, graceMs)
  }

  keyWarnings(settings: KeySettings): readonly string[] {
    return this.#parts.warnings.of(settings)
  }

  checkPolicySettings(policy: PolicyWithSettings): Promise<void> {
    return this.#parts.policySettings.check(policy)
  }

  readsAccountPolicies(level: AccountLevel): boolean {
    return this.#parts.policies.readsAccounts(level)
  }

  effectivePolicy(key: ApiKey): Promise<EffectivePolicy> {
    return this.#parts.policies.effective(key)
  }

  sessionOf(key: ApiKey, name: string): string {
    return this.#parts.sessions.idOf(ownerPath(key), name)
  }

  issueToken(settings: AdminTokenSettings): Promise<{ readonly token: AdminToken; readonly text: string }> {
    return this.#parts.admission.issue(settings)
  }

  identify(text: string): ReturnType<AdminAdmission['identify']> {
    return this.#parts.admission.identify(text)
  }

  recall(known: KnownToken): Promise<Admin | undefined> {
    return this.#parts.admission.recall(known)
  }

  async sendAs(key: ApiKey, path: string, body: unknown, signal: AbortSignal): Promise<Response> {
    const { http, tickets } = this.#parts
    const ticket = tickets.issue(key)
    try {
      const headers = { authorization: `Bearer ${ticket}`, 'content-type': 'application/json' }
      return await http.h3.request(path, { method: 'POST', headers, body: JSON.stringify(body), signal })
    } finally {
      tickets.revoke(ticket)
    }
  }

  providers(): Promise<readonly ProviderState[]> {
    return this.#parts.states.all()
  }

  load(): Promise<GatewayLoad> {
    return this.#parts.load.all()
  }

  async routes(query: AskedRoute): Promise<JsonObject> {
    return { ...(await this.#parts.previews.of(query)) }
  }
}
