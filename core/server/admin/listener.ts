import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AdminHost } from '../../contracts/admin-route.ts'
import type { Health } from '../../contracts/health.ts'
import type { Reply } from '../../contracts/route.ts'
import type { GatewayError } from '../../foundation/errors.ts'
import type { HttpApp } from '../app.ts'
import { errorReply } from '../error-reply.ts'
import { NodeChannel } from '../node-channel.ts'
import { send } from '../send.ts'
import type { AdminApi } from './api.ts'
import { probeOf } from './probes.ts'
import { checkHost, type AdminReach } from './reach.ts'

/** For `http.createServer` and `https.createServer`. Answers probes, and refuses requests for hosts under which the listener is not known. */
export function adminListener(
  app: HttpApp,
  api: AdminApi,
  health: Health,
  named: readonly AdminHost[],
  { hosts, trustedProxies }: AdminReach,
): (message: IncomingMessage, response: ServerResponse) => void {
  const known = new Set([...hosts, ...named.map(({ name }) => name)].map(host => host.toLowerCase().replaceAll(/[[\]]/g, '')))
  api.trust(trustedProxies)
  return (message, response) => {
    const answer = (reply: Reply): void =>
      send(new NodeChannel(message, response), { ...reply, headers: { ...reply.headers, ...api.headers } })
    const probe = probeOf(message, health)
    if (probe) return void probe.then(answer)
    try {
      checkHost(message, known)
    } catch (refusal) {
      return answer(errorReply(refusal as GatewayError))
    }
    app.listener(message, response)
  }
}
