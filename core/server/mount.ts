import type { Reply } from '../contracts/route.ts'
import type { GatewayError } from '../foundation/errors.ts'
import type { JsonObject } from '../foundation/json.ts'
import type { Registry } from '../framework/registry.ts'
import type { Cors } from '../framework/settings.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { Channel, HeaderReader } from './channel.ts'

/** The common members of all routes. */
export interface MountedRoute {
  readonly method: string
  readonly path: string
  serves?(params: Readonly<Record<string, string>>): boolean
  readonly below?: string
  error?(error: GatewayError, requestId: string, headers: HeaderReader): Reply | undefined
  readonly insteadOf?: Readonly<Record<string, string>>
  isGone?(): boolean
  /** Of one that refuses what it is asked for: the route that shares its path, or the beginning of it. */
  readonly near?: MountedRoute
}

/** One request while it is open. */
export interface MountedExchange {
  readonly id: string
  readonly headers: HeaderReader
  /** The only body that a reply may have, apart from a text. */
  readonly streamed?: object | undefined
}

/** Answers a method or a path that no route serves. */
export interface Refusal {
  readonly path: string
  /** The route that serves this path with other methods. */
  readonly near?: MountedRoute
  error?(error: GatewayError, requestId: string, headers: HeaderReader): Reply | undefined
  handle(exchange: { readonly request: Request }): never
}

/** An API that an `HttpApp` serves: which routes it has, who is admitted, and what surrounds a request. */
export interface Mount<R extends MountedRoute, X extends MountedExchange> {
  readonly routes: Registry<R>
  /** True if requests that match a route exactly are served straight from Node.js. Their routes never return a web `Response`. */
  readonly isDirect: boolean
  /** Which pages of other origins may call it. Absent: none. */
  readonly cors?: Cors | undefined
  /** The bodies of replies, in the log line of one that cannot be sent. */
  readonly bodies: string
  /** The message of the log line of a failed request. */
  readonly failure: string
  /** Headers of the reply to this request, including an error. */
  headersOf?(route: R, exchange: X): Readonly<Record<string, string>> | undefined
  /** Headers of every reply, including errors. */
  readonly headers?: Readonly<Record<string, string>>
  refuse(refusal: Refusal): R
  open(route: R, channel: Channel, params: Readonly<Record<string, string>>, path: string): X
  /** Throws a `GatewayError` unless the caller may call the route. */
  admit(route: R, exchange: X): Maybe<void>
  /** The route's result, which is checked later. */
  handle(route: R, exchange: X): Maybe<unknown>
  /** The error that the caller gets for what was thrown. */
  asError(thrown: unknown): GatewayError
  /** The caller gets this error. */
  failed?(exchange: X, error: GatewayError): void
  /** The log fields for a failure. `plugin`: the plugin of the route, if it has one. */
  failureFields(thrown: unknown, route: R, exchange: X, plugin: string | undefined): JsonObject
  /** True if the log may show what a plugin threw in this request. */
  mayShow(exchange: X): boolean
  /** Called once, when the reply is on its way. */
  close(route: R, exchange: X, reply: Reply): void
}
