import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'

/**
 * The gateway as an app of [h3](https://h3.dev): serve `fetch` with anything that speaks web requests, and add middleware, routes and
 * hooks. They apply to every request of this app. Middleware, handlers and events of h3's own types fit; where a function of h3 asks for
 * its class, write `app as H3`.
 */
export interface WebApp {
  /** Hooks around every request. */
  readonly config: WebAppHooks
  /** Answers a request. `request.ip` counts as the address of the client. */
  fetch(request: WebRequest): Response | Promise<Response>
  /** Answers a request without a socket, such as `app.request('/v1/models', { headers })`. */
  request(request: WebRequest | URL | string, options?: RequestInit, context?: WebContext): Response | Promise<Response>
  /** Adds middleware for every request. */
  use(middleware: WebMiddleware | WebApp, options?: WebMiddlewareOptions): this
  /** Adds middleware for the requests below a path. */
  use(path: string, middleware: WebMiddleware | WebApp, options?: WebMiddlewareOptions): this
  /** Adds a route. An empty method stands for all that have no route of their own. */
  on(method: string, path: string, handler: WebHandler | Fetchable, options?: WebRouteOptions): this
  /** Lets an app with a method `fetch`, or a function like it, answer all requests below a path. */
  mount(path: string, app: ((request: WebRequest) => Response | Promise<Response>) | Fetchable): this
  /** Calls a function that adds several of these. */
  register(plugin: WebPlugin): this
  /** Adds a route for every method. */
  readonly all: WebRoute<this>
  /** Adds a route for GET. */
  readonly get: WebRoute<this>
  /** Adds a route for HEAD. */
  readonly head: WebRoute<this>
  /** Adds a route for POST. */
  readonly post: WebRoute<this>
  /** Adds a route for PUT. */
  readonly put: WebRoute<this>
  /** Adds a route for PATCH. */
  readonly patch: WebRoute<this>
  /** Adds a route for DELETE. */
  readonly delete: WebRoute<this>
  /** Adds a route for OPTIONS. */
  readonly options: WebRoute<this>
  /** Adds a route for CONNECT. */
  readonly connect: WebRoute<this>
  /** Adds a route for TRACE. */
  readonly trace: WebRoute<this>
  /** Adds a route for QUERY. */
  readonly query: WebRoute<this>
}

/** Adds a route for one method. */
export type WebRoute<App> = (path: string, handler: WebHandler | Fetchable, options?: WebRouteOptions) => App

/** An app that answers web requests. */
export interface Fetchable {
  fetch(request: WebRequest): Response | Promise<Response>
}

/** Answers a request, or returns `next()` to let the others answer it. */
export type WebMiddleware = Functions['middleware']

/** Answers the request of a route with a `Response`, a text, bytes, or an object that becomes JSON. */
export type WebHandler = Functions['handler']

/** Adds middleware and routes to an app. */
export type WebPlugin = Functions['plugin']

/** As methods, because then functions that take an event or an app of h3 fit, too. */
interface Functions {
  middleware(event: WebEvent, next: () => unknown): unknown
  handler(event: WebEvent): unknown
  plugin(app: WebApp): void
}

export interface WebMiddlewareOptions {
  /** Only requests with this method. */
  method?: string
  /** Only requests for which it returns true. */
  match?(event: WebEvent): boolean
}

export interface WebRouteOptions {
  /** Runs before the handler. */
  middleware?: WebMiddleware[]
  /** Facts about the route for middleware. */
  meta?: { readonly [name: string]: unknown }
}

export interface WebAppHooks {
  /** Runs before anything else. */
  onRequest?(event: WebEvent): unknown
  /** Runs when the response is made. */
  onResponse?(response: Response, event: WebEvent): unknown
}

/** A request and the server that it came through. */
export interface WebRequest extends Request {
  /** The address of the client. */
  ip?: string | undefined
  runtime?: WebRuntime
  context?: { [name: string]: unknown }
  waitUntil?: (promise: Promise<unknown>) => void | Promise<void>
}

/** A request as middleware and handlers get it. */
export interface WebEventRequest extends Omit<WebRequest, 'clone' | 'json'> {
  clone(): WebEventRequest
  json(): Promise<NonNullable<unknown>>
}

/** Facts that middleware adds to a request, and the parameters of its path. */
export interface WebContext {
  params?: Record<string, string>
  [name: string]: unknown
}

/** Objects of the server that a request came through. */
export interface WebRuntime {
  /** Such as `node`. */
  name: string
  node?: { req: IncomingMessage | Http2ServerRequest; res?: ServerResponse | Http2ServerResponse }
}

/** One request of an app. */
export interface WebEvent {
  /** The request, whose body can be read once. */
  readonly req: WebEventRequest
  /** The address of the request. */
  readonly url: URL
  /** Facts for the middleware and handlers that follow. */
  readonly context: WebContext
  /** Parts of the response, from middleware and the handler. */
  readonly res: {
    /** Default: 200. A handler that returns a `Response` states its own. */
    status?: number
    /** Default: the usual text of the status. */
    statusText?: string
    /** Added to the response, in place of those with the same names. */
    readonly headers: Headers
    /** The same for a `Response` that reports an error, and for what h3 throws. */
    readonly errHeaders: Headers
  }
  /** Objects of the server. Undefined for a request without a socket. */
  readonly runtime: WebRuntime | undefined
  /** Those of Node.js, if it serves the request. */
  readonly node: WebRuntime['node'] | undefined
  /** The headers of the request. */
  readonly headers: Headers
  /** The path of the request, with what follows a question mark. */
  readonly path: string
  /** The method of the request, such as `POST`. */
  readonly method: string
  /** Lets the server wait for an operation before it ends. */
  waitUntil(promise: Promise<unknown>): void
  /** The method and the address, for logs. */
  toString(): string
  /** As `toString`. */
  toJSON(): string
}
