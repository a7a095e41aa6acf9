import { AdminAuthenticators, AdminRoutes, AuditTrail, Clock, DashboardPages, definePlugin, Sealer } from '../../../core/index.ts'
import { Assets } from './assets.ts'
import { dashboardRoutes } from './routes.ts'
import { Sessions } from './sessions.ts'
import { SignIn } from './sign-in.ts'

/** The dashboard, on the listener of the admin API and a client of it: docs/dashboard.md. */
export default definePlugin({
  name: 'dashboard',
  options: { type: 'object', additionalProperties: false, properties: {} },
  needs: { audit: AuditTrail, clock: Clock, pages: DashboardPages, sealer: Sealer },
  setup(gateway, _, { audit, clock, pages, sealer }) {
    const sessions = new Sessions(sealer, clock)
    const assets = new Assets(new URL('app/', import.meta.url))
    gateway.add(AdminAuthenticators, { name: 'dashboard', admit: (request, services) => sessions.admit(request, services) })
    for (const route of dashboardRoutes({ assets, pages, signIn: new SignIn(sessions, audit, clock) })) gateway.add(AdminRoutes, route)
  },
})
