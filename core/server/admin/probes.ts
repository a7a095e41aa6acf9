import type { IncomingMessage } from 'node:http'
import type { Health } from '../../contracts/health.ts'
import type { Reply } from '../../contracts/route.ts'
import { asGatewayError, GatewayError } from '../../foundation/errors.ts'
import { errorReply } from '../error-reply.ts'

const up: Reply = { status: 200, headers: { 'content-type': 'application/json' } }

/**
 * Answers the probes of supervisors and load balancers on the admin listener, without a token: `/live`, a 200 while the process answers,
 * and `/ready`, a 503 whenever requests should go elsewhere. Asked under any host, because balancers name none that the listener knows, and
 * nothing of the gateway is shown. Undefined if the request is for neither.
 */
export function probeOf({ method, url }: IncomingMessage, health: Health): Promise<Reply> | undefined {
  const [, probe] = /^\/(live|ready)\/?(?:\?|$)/.exec(url!) ?? []
  if (probe === undefined) return undefined
  return method === 'GET' || method === 'HEAD' ? standing(probe, health) : Promise.resolve(otherMethod(method!))
}

async function standing(probe: string, health: Health): Promise<Reply> {
  if (probe === 'live') return up
  try {
    const refusal = await health.check()
    return refusal ? errorReply(refusal) : up
  } catch (thrown) {
    return errorReply(asGatewayError(thrown))
  }
}

function otherMethod(method: string): Reply {
  const allow = 'GET, HEAD'
  const message = `The method ${method} is not allowed here. Use ${allow}.`
  const reply = errorReply(new GatewayError({ status: 405, type: 'invalid_request_error', code: 'method_not_allowed', message }))
  return { ...reply, headers: { ...reply.headers, allow } }
}
