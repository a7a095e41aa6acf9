import { isObject, ProviderFailure, type JsonObject, type ProviderCall } from '../../core/index.ts'
import { isPending, wording } from '../../core/kit.ts'
import type { Departures } from './departures.ts'

/** Gives members of a request the host's names. Changes `body`. */
export function withHostNames(body: JsonObject, renamed: Departures['renamed']): JsonObject {
  if (!renamed) return body
  const named = body as Record<string, unknown>
  for (const name in renamed) {
    const value = named[name]
    if (value === undefined) continue
    // JSON leaves out undefined members. To delete them would cost more.
    named[name] = undefined
    named[renamed[name]!] = value
  }
  return named
}

/** Adds what every request to the host has, and what the host's table changes in it. May change `body`. */
export function completedBody(body: JsonObject, call: ProviderCall, { added, changeRequest }: Departures): JsonObject {
  if (added) Object.assign(body, added)
  if (!changeRequest) return body
  const changed: unknown = changeRequest(withoutAbsent(body), call)
  if (isObject(changed) && !isPending(changed)) return changed
  throw new ProviderFailure({ kind: 'protocol', message: wording`The provider's \`changeRequest\` returned no object to send.` })
}

function withoutAbsent(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
}
