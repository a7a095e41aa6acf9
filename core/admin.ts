// Published as `turnpike/admin`: routes of the admin API, pages of the dashboard, who may sign in, and where alerts go.

export type {
  Admin,
  AdminAuthenticator,
  AdminExchange,
  AdminHost,
  AdminRoute,
  AdminServices,
  AskedRoute,
  EffectivePolicy,
  KnownToken,
  OpenTrial,
  OptionFacts,
  OptionSource,
  PluginFacts,
} from './contracts/admin-route.ts'
export type { Alert, AlertAudience, AlertChannel } from './contracts/alert.ts'
export { adminRoles, hasRole, type AdminRole } from './contracts/admin-token-store.ts'
export { AlertTargets, type AlertTargetSettings, type AlertTargetView, type AlertTest } from './contracts/alert-targets.ts'
export type { CircuitView } from './contracts/circuits.ts'
export type { DashboardPage } from './contracts/dashboard-page.ts'
export type { BodyOf, JsonNames, Shown, Snaked, ShownForms, ShownObject, ShownValue, StoredOrComputed } from './contracts/field-types.ts'
export { fieldsOf, idSchema, shownName, textSchema } from './contracts/fields.ts'
export type { GatewayLoad } from './contracts/gateway-load.ts'
export type { ShownLimit } from './contracts/key-fields.ts'
export { policyFields } from './contracts/policy.ts'
export type { ProviderState } from './contracts/provider-state.ts'
export type { ShownUsage } from './contracts/record-fields.ts'
export type { Contract, Stability } from './foundation/token.ts'
export { AdminAuthenticators, AdminHosts, AdminRoutes, AlertChannels, DashboardPages } from './framework/extension-points.ts'
export { FailedTries } from './limits/failed-tries.ts'
