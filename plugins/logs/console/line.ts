import type { Policy, RequestRecord } from '../../../core/index.ts'

/** Policies as JSON: requests of one key share the object. */
const policies = new WeakMap<Policy, string>()

/** The whole record without content, as one JSON object. */
export function jsonLine(record: RequestRecord): string {
  const { policy } = record
  // JSON leaves out undefined members.
  const metadata = JSON.stringify({
    ...record,
    request: undefined,
    response: undefined,
    kept: undefined,
    policy: policy === null ? null : undefined,
  })
  return policy === null ? metadata : `${metadata.slice(0, -1)},"policy":${jsonOf(policy)}}`
}

function jsonOf(policy: Policy): string {
  let text = policies.get(policy)
  if (text === undefined) policies.set(policy, (text = JSON.stringify(policy)))
  return text
}

/** A short line for people: time, status, path, model, usage, duration, id. */
export function textLine(record: RequestRecord): string {
  const { at, status, method, path, provider, model, usage, costUsd, elapsedMs, errorCode, id } = record
  const parts = [
    new Date(at).toISOString(),
    status,
    method,
    path,
    provider !== null && `${provider}/${model}`,
    usage && `${usage.uncachedInput + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h}+${usage.output} tokens`,
    costUsd !== null && `$${costUsd.toFixed(6)}`,
    `${Math.round(elapsedMs)} ms`,
    errorCode,
    id,
  ]
  return printable(parts.filter(part => part !== false && part !== null).join(' '))
}

/** Callers choose paths and model names, so these must not break lines or control the terminal. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '?')
}
