import { AdminRoutes, AlertTargets } from '../../../core/admin.ts'
import { definePlugin, Guardrails } from '../../../core/index.ts'
import { undescribedIn } from '../../../core/kit.ts'
import { AlertStore } from '../../../core/stores.ts'
import { alertRoutes } from './alert-routes.ts'
import { alertTargetRoutes } from './alert-target-routes.ts'
import { adminRoutes } from './routes.ts'
import { storeNeeds } from './stores.ts'

/** The admin API below `/admin/v1`: docs/admin-api.md. It is served on its own listener, `server.admin`. */
export default definePlugin({
  name: 'admin',
  contracts: { AdminRoutes: 1 },
  options: { type: 'object', additionalProperties: false, properties: {} },
  needs: { ...storeNeeds, adminRoutes: AdminRoutes, guardrails: Guardrails },
  wants: { alerts: AlertStore, alertTargets: AlertTargets },
  setup(gateway, _, { adminRoutes: all, guardrails, alerts, alertTargets, ...stores }) {
    const undescribed = undescribedIn(all, gateway.log)
    for (const route of adminRoutes(stores, all, () => guardrails.names(), undescribed, alertTargets)) gateway.add(AdminRoutes, route)
    for (const route of alerts ? alertRoutes(stores, alerts) : []) gateway.add(AdminRoutes, route)
    for (const route of alertTargets ? alertTargetRoutes(stores, alertTargets) : []) gateway.add(AdminRoutes, route)
  },
})
