import type { ClosedRequest } from '../../../core/kit.ts'
import { names } from './names.ts'
import { inputOf } from './tokens.ts'
import type { Writer } from './wire/writer.ts'

const methods: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'WEBSOCKET'])

/** Callers may send any word as a method. */
export function methodOf({ method }: ClosedRequest): string {
  return methods.has(method) ? method : '_OTHER'
}

/** Writes what the span and the log record of a request have in common, as attributes: `field` is their number. */
export function writeRequest(writer: Writer, field: number, request: ClosedRequest, withAccounts: boolean, session: string | null): void {
  const { id, surface, kind, status, errorCode, reason, keyId, org, team, provider, model, isListed } = request
  names.requestId.text(writer, field, id)
  names.method.text(writer, field, methodOf(request))
  names.status.integer(writer, field, status)
  if (surface !== null) names.surface.text(writer, field, surface)
  if (kind !== null) names.kind.text(writer, field, kind)
  if (withAccounts) {
    if (keyId !== null) names.key.text(writer, field, keyId)
    if (org !== null) names.org.text(writer, field, org)
    if (team !== null) names.team.text(writer, field, team)
  }
  if (session !== null) names.conversation.text(writer, field, session)
  // Not as `gen_ai.request.model`: whoever adds up spans by it would count every request twice.
  if (provider !== null) names.ownProvider.text(writer, field, provider)
  if (isListed && model !== null) names.answeredModel.text(writer, field, model)
  if (errorCode !== null || status >= 500) names.errorType.text(writer, field, errorCode ?? String(status))
  if (reason) {
    names.reason.text(writer, field, reason.kind)
    if (reason.level !== undefined) names.level.text(writer, field, reason.level)
  }
  if (kind === null) return
  names.attempts.integer(writer, field, request.attempts)
  if (request.firstEventMs !== null) names.firstEventMs.double(writer, field, request.firstEventMs)
  if (request.usage) {
    names.totalInputTokens.integer(writer, field, inputOf(request.usage))
    names.totalOutputTokens.integer(writer, field, request.usage.output)
  }
  if (request.costUsd !== null) names.costUsd.double(writer, field, request.costUsd)
}
