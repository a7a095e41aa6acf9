import type { ClosedRequest } from '../../../core/kit.ts'
import { names } from './names.ts'
import { inputOf } from './tokens.ts'
import { EncodedPairs } from './wire/encoded-pairs.ts'
import type { Writer } from './wire/writer.ts'

const methods: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'WEBSOCKET'])

/** Callers may send any word as a method. */
export function methodOf({ method }: ClosedRequest): string {
  return methods.has(method) ? method : '_OTHER'
}

/** Writes what the span and the log record of a request have in common. What many requests share is encoded once. */
export class RequestFacts {
  readonly #field: number
  readonly #withAccounts: boolean
  readonly #head: (writer: Writer, request: ClosedRequest) => void
  readonly #successes = new EncodedPairs()
  readonly #keys = new EncodedPairs()
  readonly #owners = new EncodedPairs()
  readonly #endpoints = new EncodedPairs()

  /** `field`: the number of the attributes. `head` writes more, which may depend on method, surface, kind and status. */
  constructor(field: number, withAccounts: boolean, head: (writer: Writer, request: ClosedRequest) => void) {
    this.#field = field
    this.#withAccounts = withAccounts
    this.#head = head
  }

  write(writer: Writer, request: ClosedRequest, session: string | null): void {
    const field = this.#field
    const { id, surface, kind, method, status, errorCode, reason, keyId, org, team, provider, model, isListed } = request
    if (status === 200 && method === 'POST') writer.raw(this.#successes.of(surface, kind, to => this.#writeKind(to, request)))
    else this.#writeKind(writer, request)
    names.requestId.text(writer, field, id)
    if (this.#withAccounts && keyId !== null) {
      writer.raw(this.#keys.of(keyId, null, to => names.key.text(to, field, keyId)))
      writer.raw(this.#owners.of(org, team, to => this.#writeOwner(to, request)))
    }
    if (session !== null) names.conversation.text(writer, field, session)
    if (provider !== null) writer.raw(this.#endpoints.of(provider, isListed ? model : null, to => this.#writeEndpoint(to, request)))
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

  #writeKind(writer: Writer, request: ClosedRequest): void {
    const { surface, kind, status } = request
    this.#head(writer, request)
    names.method.text(writer, this.#field, methodOf(request))
    names.status.integer(writer, this.#field, status)
    if (surface !== null) names.surface.text(writer, this.#field, surface)
    if (kind !== null) names.kind.text(writer, this.#field, kind)
  }

  #writeOwner(writer: Writer, { org, team }: ClosedRequest): void {
    if (org !== null) names.org.text(writer, this.#field, org)
    if (team !== null) names.team.text(writer, this.#field, team)
  }

  /** Not as `gen_ai.request.model`: whoever adds up spans by it would count every request twice. */
  #writeEndpoint(writer: Writer, { provider, model, isListed }: ClosedRequest): void {
    if (provider !== null) names.ownProvider.text(writer, this.#field, provider)
    if (isListed && model !== null) names.answeredModel.text(writer, this.#field, model)
  }
}
