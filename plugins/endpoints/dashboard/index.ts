import { AdminAuthenticators, AdminHosts, AdminRoutes, DashboardPages, FailedTries } from '../../../core/admin.ts'
import { Clock, definePlugin } from '../../../core/index.ts'
import { requirePeer } from '../../../core/kit.ts'
import { AuditTrail, Sealer, SharedMaps, SignOuts } from '../../../core/stores.ts'
import { Assets } from './assets.ts'
import { EndedSessions } from './ended-sessions.ts'
import { checkPages } from './own-addresses.ts'
import { OpenId, openIdSchema } from './openid.ts'
import { dashboardRoutes } from './routes.ts'
import { Sessions } from './sessions.ts'
import { SignIn } from './sign-in.ts'

/** The dashboard, on the listener of the admin API and a client of it: docs/dashboard.md. */
export default definePlugin({
  name: 'dashboard',
  contracts: { AdminRoutes: 1, AdminHosts: 1, AdminAuthenticators: 1 },
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      openId: { ...openIdSchema, description: 'Lets people sign in with OpenID Connect. Admin tokens work, too.' },
    },
  },
  needs: { audit: AuditTrail, clock: Clock, pages: DashboardPages, sealer: Sealer, shared: SharedMaps },
  wants: { signOuts: SignOuts },
  setup(gateway, { openId: openIdOptions }, { audit, clock, pages, sealer, shared, signOuts }) {
    gateway.onStart(() => checkPages(pages))
    if (openIdOptions) requirePeer('dashboard', 'openid-client', 'for its option openId')
    const openId = openIdOptions && new OpenId(openIdOptions, sealer, clock, gateway.log)
    if (openIdOptions) gateway.add(AdminHosts, { name: new URL(openIdOptions.publicUrl).hostname })
    const sessions = new Sessions(sealer, clock, new EndedSessions(shared, signOuts, sealer, clock), openId)
    const tries = new FailedTries(shared, 'dashboard', clock)
    const assets = new Assets(new URL('app/', import.meta.url))
    gateway.add(AdminAuthenticators, { name: 'dashboard', admit: (request, services) => sessions.admit(request, services) })
    for (const route of dashboardRoutes({ assets, pages, signIn: new SignIn(sessions, audit, tries, openId) }))
      gateway.add(AdminRoutes, route)
  },
})
