import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { Reply } from '../contracts/route.ts'
import { asGatewayError, GatewayError, PluginError } from '../foundation/errors.ts'
import { describePluginError, Logger } from '../foundation/logger.ts'
import { RepeatedError } from '../foundation/repeated-error.ts'
import { wire } from '../framework/container.ts'
import { isPending } from '../runtime/pending.ts'
import type { Channel } from './channel.ts'
import { errorReply } from './error-reply.ts'
import { gatewayHeaders } from './gateway-headers.ts'
import type { Router } from './h3.ts'
import type { Mount, MountedExchange, MountedRoute } from './mount.ts'
import { NodeChannel } from './node-channel.ts'
import { otherMethods } from './other-methods.ts'
import { PublicApi } from './public-api.ts'
import { replyFault } from './reply-fault.ts'
import { send } from './send.ts'
import { unknownPath } from './unknown-path.ts'
import type { WebApp } from './web-app.ts'

const require = createRequire(import.meta.url)

const noParams: Readonly<Record<string, string>> = {}

/**
 * Serves an API: finds the route, has the caller admitted, and turns every throw into one error reply. There are two ways in, and one path
 * from there on. If the API allows it, `listener` takes a request that matches a route exactly straight from Node.js, because the objects
 * of h3 cost a quarter of what such a request takes. Everything else goes through h3.
 */
export class HttpApp {
  /** For `http.createServer` and `https.createServer`. */
  readonly listener: (message: IncomingMessage, response: ServerResponse) => void
  readonly #mount: Mount<MountedRoute, MountedExchange>
  readonly #log: Logger
  readonly #refused: RepeatedError
  /** Answers every path that no route serves. */
  readonly #unknown: MountedRoute
  /** Routes without parameters, by path and method. */
  readonly #exact = new Map<string, ReadonlyMap<string, MountedRoute>>()
  readonly #isDirect: boolean
  #router: Router | undefined

  static {
    wire(this, [PublicApi, Logger])
  }

  constructor(mount: Mount<any, any>, log: Logger) {
    this.#mount = mount
    this.#log = log
    this.#refused = new RepeatedError(log, mount.failure)
    const routes = mount.routes.values() as readonly MountedRoute[]
    this.#unknown = mount.refuse(unknownPath(routes))
    for (const [path, sharing] of Map.groupBy(routes.filter(isExact), ({ path }) => path))
      this.#exact.set(path, new Map(sharing.map(route => [route.method, route])))
    this.#isDirect = mount.isDirect && !mount.cors
    this.listener = (message, response) => {
      const route = this.#exactly(message)
      if (route) void this.#serve(route, new NodeChannel(message, response), noParams, pathOf(message.url!))
      else this.#routed.listen(message, response)
    }
  }

  /** Middleware, hooks and routes that are added to it apply to every request. */
  get h3(): WebApp {
    return this.#routed.h3
  }

  get #routed(): Router {
    return (this.#router ??= this.#loadH3())
  }

  #loadH3(): Router {
    const { Router } = require('./h3.ts') as typeof import('./h3.ts')
    const routes = this.#mount.routes.values()
    const router = new Router(this.#mount.cors, reply => this.#finished(reply))
    // `health` must win over `:id`: h3 matches routes without parameters first.
    for (const route of routes) this.#add(router, route)
    for (const [path, sharing] of Map.groupBy(routes, ({ path }) => path)) this.#addOtherMethods(router, path, sharing)
    this.#refuseBelowSurfaces(router, routes)
    router.add('', '/**', (channel, params, path) => this.#serve(this.#unknown, channel, params, path))
    router.seal()
    return router
  }

  #exactly({ method, url }: IncomingMessage): MountedRoute | undefined {
    if (!this.#isDirect || this.#router?.isExtended) return undefined
    return this.#exact.get(pathOf(url!))?.get(method!)
  }

  #add(router: Router, route: MountedRoute): void {
    const serve = (channel: Channel, params: Readonly<Record<string, string>>, path: string): Promise<void> =>
      this.#serve(isServed(route, params) ? route : this.#unknown, channel, params, path)
    router.add(route.method, route.path, serve)
    // HEAD: the same headers, without the body.
    if (route.method === 'GET') router.add('HEAD', route.path, serve)
  }

  #addOtherMethods(router: Router, path: string, routes: readonly MountedRoute[]): void {
    const route = this.#mount.refuse(otherMethods(path, routes))
    router.add('', path, (channel, params, path) =>
      this.#serve(routes.every(each => isServed(each, params)) ? route : this.#unknown, channel, params, path),
    )
  }

  /** Unknown paths below a surface get errors in its format. A path with a wildcard has no others below it. */
  #refuseBelowSurfaces(router: Router, routes: readonly MountedRoute[]): void {
    const surfaces = new Map<string, MountedRoute>()
    for (const route of routes) {
      const path = route.below ?? (route.path.includes('*') ? undefined : route.path)
      if (route.error && path !== undefined && !surfaces.has(path)) surfaces.set(path, route)
    }
    for (const [path, surface] of surfaces) {
      const route: MountedRoute = { ...this.#unknown, near: surface, error: (...failure) => surface.error!(...failure) }
      router.add('', `${path}/**`, (channel, params, path) => this.#serve(route, channel, params, path))
    }
  }

  /** Never rejects. */
  async #serve(route: MountedRoute, channel: Channel, params: Readonly<Record<string, string>>, path: string): Promise<void> {
    const exchange = this.#mount.open(route, channel, params, path)
    let reply = await this.#reply(route, exchange)
    try {
      send(channel, reply, exchange.id)
    } catch (error) {
      send(channel, (reply = this.#unsendable(route, exchange, error)), exchange.id)
    }
    this.#mount.close(route, exchange, reply)
  }

  async #reply(route: MountedRoute, exchange: MountedExchange): Promise<Reply> {
    const mount = this.#mount
    try {
      const admitted = mount.admit(route, exchange)
      if (isPending(admitted)) await admitted
      const reply = (await mount.handle(route, exchange)) as Reply
      const fault = replyFault(reply, exchange.streamed, mount.bodies)
      return fault === undefined ? this.#told(route, exchange, reply) : this.#failed(route, exchange, this.#blame(route, fault))
    } catch (thrown) {
      return this.#failed(route, exchange, thrown)
    }
  }

  #told(route: MountedRoute, exchange: MountedExchange, reply: Reply): Reply {
    const headers = this.#mount.headersOf?.(route, exchange)
    return this.#finished(headers ? { ...reply, headers: { ...headers, ...reply.headers } } : reply)
  }

  #finished(reply: Reply): Reply {
    const { headers } = this.#mount
    return headers ? { ...reply, headers: { ...reply.headers, ...headers } } : reply
  }

  /** The reply for what was thrown. A failure of the gateway or a plugin is logged, a refusal for now only now and then. */
  #failed(route: MountedRoute, exchange: MountedExchange, thrown: unknown): Reply {
    const mount = this.#mount
    const error = this.#hinted(mount.asError(thrown))
    if (error.status >= 500) {
      const fields = { request: exchange.id, status: error.status, ...mount.failureFields(thrown, route, exchange, this.#pluginOf(route)) }
      // A refusal for now, such as of too many connections, hits many requests at the same time.
      if (error.transient && error.cause === undefined) this.#refused.report(fields)
      else this.#log.error(mount.failure, fields)
    }
    mount.failed?.(exchange, error)
    const reply = this.#formatted(route, exchange, error)
    const { headers, asked } = error
    if (!headers && !asked) return this.#told(route, exchange, reply)
    return this.#told(route, exchange, { ...reply, headers: { ...reply.headers, ...headers, ...(asked && gatewayHeaders(asked)) } })
  }

  /** Without the endpoint of a plugin, its path would be a 404. */
  #hinted(error: GatewayError): GatewayError {
    const { hint, message, cause } = error
    return hint && this.#exact.has(hint.path) ? new GatewayError({ ...error, message: `${message} ${hint.text}`, cause }) : error
  }

  #formatted(route: MountedRoute, exchange: MountedExchange, error: GatewayError): Reply {
    try {
      const reply = route.error?.(error, exchange.id, exchange.headers)
      if (reply && replyFault(reply, undefined, 'a string') === undefined) return reply
    } catch (thrown) {
      const plugin = this.#pluginOf(route)
      this.#log.error('could not format an error', { plugin, ...describePluginError(thrown, true, this.#mount.mayShow(exchange)) })
    }
    return errorReply(error)
  }

  /** The message of `cause` quotes the value of a header, which may be content. The route's own errors may have the same header. */
  #unsendable(route: MountedRoute, exchange: MountedExchange, cause: unknown): Reply {
    const error = asGatewayError(this.#blame(route, 'expected the names and values of headers to be valid HTTP', cause))
    this.#failed(route, exchange, error.cause)
    return this.#finished(errorReply(error))
  }

  #blame(route: MountedRoute, fault: string, cause?: unknown): PluginError {
    const problem = `returned a reply for ${route.method} ${route.path} that cannot be sent: ${fault}`
    return new PluginError(this.#pluginOf(route) ?? 'unknown', problem, { cause })
  }

  #pluginOf({ method, path }: MountedRoute): string | undefined {
    return this.#mount.routes.pluginOf(`${method} ${path}`)
  }
}

function isExact({ path, serves }: MountedRoute): boolean {
  return /^[\w./~-]+$/.test(path) && !serves
}

function pathOf(url: string): string {
  const mark = url.indexOf('?')
  return mark === -1 ? url : url.slice(0, mark)
}

function isServed({ serves }: MountedRoute, params: Readonly<Record<string, string>>): boolean {
  return !serves || serves(params)
}
