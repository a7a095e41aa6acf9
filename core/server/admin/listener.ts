import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AdminHost } from '../../contracts/admin-route.ts'
import type { GatewayError } from '../../foundation/errors.ts'
import type { HttpApp } from '../app.ts'
import { errorReply } from '../error-reply.ts'
import { NodeChannel } from '../node-channel.ts'
import { send } from '../send.ts'
import type { AdminApi } from './api.ts'
import { checkHost, type AdminReach } from './reach.ts'

/** For `http.createServer` and `https.createServer`. Refuses requests for hosts under which the listener is not known. */
export function adminListener(
  app: HttpApp,
  api: AdminApi,
  named: readonly AdminHost[],
  { hosts, trustedProxies }: AdminReach,
): (message: IncomingMessage, response: ServerResponse) => void {
  const known = new Set([...hosts, ...named.map(({ name }) => name)].map(host => host.toLowerCase().replaceAll(/[[\]]/g, '')))
  api.trust(trustedProxies)
  return (message, response) => {
    try {
      checkHost(message, known)
    } catch (refusal) {
      const reply = errorReply(refusal as GatewayError)
      return send(new NodeChannel(message, response), { ...reply, headers: { ...reply.headers, ...api.headers } })
    }
    app.listener(message, response)
  }
}
