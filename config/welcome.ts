import type { Gateway } from '../core/gateway.ts'
import { firstAdminToken, hasDashboard } from './first-admin-token.ts'
import { firstKey } from './first-key.ts'
import { inheritedModels } from './inherited-models.ts'
import type { AdminListener } from './listen-admin.ts'
import type { Listener } from './listen.ts'

/** Says where the gateway listens. Creates the first key and the first admin token, unless there are some. */
export async function welcome(gateway: Gateway, listener: Listener, admin: AdminListener | undefined): Promise<void> {
  for (const warning of inheritedModels(gateway)) gateway.log.warn(warning)
  const adminWelcome = admin && (await firstAdminToken(gateway, admin))
  if (adminWelcome !== undefined) console.log(adminWelcome)
  const keyWelcome = await firstKey(gateway, listener)
  if (keyWelcome !== undefined) console.log(keyWelcome)
  if (admin) console.log(`The admin API is on ${admin.url}`)
  if (admin && hasDashboard(gateway)) console.log(`The dashboard is on ${admin.url}/`)
  console.log(`Turnpike listens on ${listener.url}${listener.everywhere ? ', and on all other interfaces of this machine' : ''}`)
}
