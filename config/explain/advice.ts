import type { ShownRecord } from '../../core/contracts/record-fields.ts'

type Reason = NonNullable<ShownRecord['reason']>
type Failed = Pick<ShownRecord, 'reason' | 'reason_level' | 'key' | 'org' | 'team' | 'user' | 'attempts' | 'provider'>

const levelNames = { org: 'organization', team: 'team', user: 'user', key: 'key' } as const

/** What somebody failed by, in words: `the spend cap of the team research`. */
export function causeOf(failed: Failed): string {
  const { reason, reason_level: level } = failed
  const what = reason === null ? 'unknown' : causes[reason]
  if (level === null) return what
  const id = { org: failed.org, team: failed.team, user: failed.user, key: failed.key }[level]
  return `${what} of the ${levelNames[level]}${id === null ? '' : ` ${id}`}`
}

const causes: Readonly<Record<Reason, string>> = {
  request: 'the request itself',
  authentication: 'no valid API key',
  permission: 'the permissions',
  policy: 'the policy',
  guardrail: 'a guardrail',
  limit: 'a limit',
  concurrency: 'the limit of requests at once',
  cap: 'the spend cap',
  credit: 'the credit',
  overload: 'no room in the gateway',
  vendor: 'the vendor',
  timeout: 'the time was over',
  left: 'the client went away',
  gateway: 'the gateway',
}

/** What an operator can do about it. */
export function adviceOn(failed: Failed): string {
  const { reason, key, org } = failed
  if (reason === null) return 'This record is from a version that kept no reasons.'
  switch (reason) {
    case 'request':
      return 'The caller has to change the request: its method and path above, or what the message and the parameter name.'
    case 'authentication':
      return key === null
        ? 'Check that the client sends a key, and one that exists: turnpike keys list.'
        : 'Whoever sent this has the secret of the key. Give its client a key that works, or find out who it is: the secret may have leaked.'
    case 'permission':
      return `Use another model, or let the key use it: turnpike keys update ${key ?? '<key>'} --models … --providers … --tools ….`
    case 'policy':
      return policyAdvice(failed)
    case 'guardrail':
      return 'The notes name the guardrail. If it failed, the log of the gateway says why.'
    case 'limit':
      return `Send fewer requests or tokens, or raise the limit: turnpike keys update ${key ?? '<key>'} --limits ….`
    case 'concurrency':
      return `Send fewer requests at once, or raise the limit: turnpike keys update ${key ?? '<key>'} --max-concurrency ….`
    case 'cap':
      return capAdvice(failed)
    case 'credit':
      return `Add credit: turnpike orgs credit ${org ?? '<org>'} <usd>. Running requests hold some of it until they end.`
    case 'overload':
      return 'Send fewer or smaller requests, raise the limit that the message names, or run more gateways.'
    case 'vendor':
      return failed.attempts.length === 0
        ? 'No endpoint could be asked. See turnpike routes for the order of endpoints now.'
        : "The attempts say what the vendors answered. Ask a vendor's support with its id of the request, or add fallbacks."
    case 'timeout':
      return 'Use a faster model or a shorter answer, or raise the timeouts of the provider or server.runTimeoutMs.'
    case 'left':
      return 'Nobody waited for the answer any more. Check the timeouts of the client and of proxies on the way.'
    case 'gateway':
      return 'Look for the id of this request in the log of the gateway.'
  }
}

function policyAdvice({ reason_level: level, key, org, team, user }: Failed): string {
  if (level === null || level === 'key')
    return `Use an endpoint that meets the policy, or change that of the key: turnpike keys update ${key ?? '<key>'}.`
  const id = { org, team, user }[level] ?? '<id>'
  return `Use an endpoint that meets the policy, or release the field: turnpike ${level}s update ${id} --release ….`
}

function capAdvice({ reason_level: level, key, org, team, user }: Failed): string {
  const noun = `${level ?? 'key'}s`
  const id = { org, team, user, key }[level ?? 'key'] ?? '<id>'
  return `Raise the cap: turnpike ${noun} update ${id} --spend-cap …. Or wait for the next period, if it has one.`
}
