import type { Contract } from '../foundation/token.ts'
import type { Clock } from '../foundation/clock.ts'
import type { Ids } from '../foundation/ids.ts'
import type { JsonObject } from '../foundation/json.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { Logger } from '../foundation/logger.ts'
import type { AccountLevel } from './account-store.ts'
import type { AdminRole, AdminToken } from './admin-token-store.ts'
import type { Catalog } from './catalog.ts'
import type { GatewayLoad } from './gateway-load.ts'
import type { ApiKey, KeySettings } from './key-store.ts'
import type { ProviderState } from './provider-state.ts'
import type { Policy, PolicyField, PolicyLayer, Level } from './policy.ts'
import type { Reply, Route } from './route.ts'
import type { RouteTrial } from './route-trial.ts'

/** A caller of the admin API. */
export interface Admin {
  /** The id of the admin token, or `environment`, or `command-line`. */
  readonly id: string
  /** Routes with a higher `role` refuse it with 403. */
  readonly role: AdminRole
  /** The only organization that the token may see and change. Default: all. */
  readonly org: string | undefined
}

/** Recognizes callers of the admin API that send no `Authorization` header, such as by a session cookie. Core asks them in plugin order. */
export interface AdminAuthenticator {
  /** Unique among authenticators. Errors in the log name it. */
  readonly name: string
  /**
   * The caller, or undefined if it does not know the caller. Throws a `GatewayError` to refuse the request. Any other throw refuses it with
   * a 503, and so does anything that is not exactly an `Admin`: an unknown role, `org: null`, other members. Core reads each member once.
   * It has no time limit.
   */
  admit(request: Request, gateway: AdminServices): Maybe<Admin | undefined>
}

/** A host under which browsers reach the admin listener, such as that of a proxy. Without it, such requests get a 421. */
export interface AdminHost {
  /** Such as `gateway.example.com`: without a scheme, a port or a path. */
  readonly name: string
}

/** Identifies an admin token that was presented before, without its text. */
export interface KnownToken {
  /** That of the `Admin`. */
  readonly id: string
  /** Unique to the token, but does not reveal it. */
  readonly mark: string
}

/** One method and path of the admin API, which has its own listener. */
export interface AdminRoute extends Pick<Route, 'method' | 'path' | 'describe'> {
  /** The lowest role that may call it. `none`: no token is needed. */
  readonly role: AdminRole | 'none'
  /**
   * `org`: tokens of one organization may call it, and `handle` must treat everything of other organizations as absent. `all`: only tokens
   * for all organizations may.
   */
  readonly reach: 'org' | 'all'
  /** Throws a `GatewayError` for errors that the caller should see. Any other throw becomes a 500. It has no time limit: give each wait one. */
  handle(exchange: AdminExchange, gateway: AdminServices): Maybe<Reply | Response>
}

/** One request to the admin API. Reading `admin` throws if the route's `role` is `none`. */
export interface AdminExchange {
  /** Such as `adm_…`: the id in the header `x-request-id` and in logs. */
  readonly id: string
  /** Its body can be read once: use `json`. */
  readonly request: Request
  /** The parameters of the path, by name. */
  readonly params: Readonly<Record<string, string>>
  /** The query parameters. */
  readonly query: URLSearchParams
  /** The caller. */
  readonly admin: Admin
  /** The address of the client: behind a proxy of `server.admin.trustedProxies`, the one that it forwards. Undefined within the process. */
  readonly address: string | undefined
  /** Its lines have the id of the request. */
  readonly log: Logger
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  /** Reads the body as JSON, within the limits of the public API. Throws a 400, 413 or 415. */
  json(): Promise<unknown>
}

/** Everything that the admin API shows and changes, apart from the stores, which plugins get as `needs`. */
export interface AdminServices {
  /** All models of all sources. */
  readonly catalog: Catalog
  /** The gateway's time. Tests replace it. */
  readonly clock: Clock
  /** Makes ids for what a route creates. */
  readonly ids: Ids
  /** Makes a key and stores its hash. `text` is shown once and never stored. */
  issueKey(settings: KeySettings): Promise<{ readonly key: ApiKey; readonly text: string }>
  /** Call when an organization got credit, with its balance after that: alerts about its credit begin anew. */
  creditAdded(org: string, balanceUsd: number): Promise<void>
  /** Gives a key a new secret, and keeps the old one valid for `graceMs`; 0 ends all earlier ones. Undefined if there is no such key. */
  rotateKey(id: string, graceMs: number): Promise<string | undefined>
  /** Settings that would keep a key from working as intended, one sentence each. */
  keyWarnings(settings: KeySettings): readonly string[]
  /** Throws a 400 that names the member if a guardrail cannot use the settings of a field. Fields that are null are removed. */
  checkPolicySettings(policy: { readonly [F in PolicyField]?: PolicyLayer[F] | null }): Promise<void>
  /** True if a loaded policy source reads the policies of the accounts of this level. If not, do not store enforced policy there. */
  readsAccountPolicies(level: AccountLevel): boolean
  /** The policy that a request with this key would have now. */
  effectivePolicy(key: ApiKey): Promise<EffectivePolicy>
  /** The id of the session that requests with this key name so. */
  sessionOf(key: ApiKey, name: string): string
  /** `text` is shown once and never stored. Throws a 400 for an unknown role. */
  issueToken(settings: Pick<AdminToken, 'name' | 'role' | 'org'>): Promise<{ readonly token: AdminToken; readonly text: string }>
  /** The owner of an admin token, or of the code in a sign-in link. Throws a 401 or 503. A code works once. */
  identify(text: string): Promise<{ readonly admin: Admin; readonly known: KnownToken; readonly name: string }>
  /** The current owner of the token. Undefined if it was deleted or replaced. Throws a 503. */
  recall(known: KnownToken): Promise<Admin | undefined>
  /** The routes of the public API that can be tried, each with its path. Of two with one name, the first counts. */
  readonly trials: readonly OpenTrial[]
  /** Sends a request to the public API as this key, with all its rules. Throws a 401 if the key is refused. */
  sendAs(key: ApiKey, path: string, body: unknown, signal: AbortSignal): Promise<Response>
  /** The state of every provider: resting credentials, circuits, queues. Of all processes that count together, as of a second ago. */
  providers(): Promise<readonly ProviderState[]>
  /** The work in progress, in all processes that count together. */
  load(): Promise<GatewayLoad>
  /** The order in which a request would try endpoints now, and why. Throws the error that the request would get. */
  routes(query: AskedRoute): Promise<JsonObject>
  /** The plugins in their order, and what each contributed. */
  readonly plugins: readonly PluginFacts[]
  /** The `server` section with defaults, secrets masked. */
  readonly settings: readonly OptionFacts[]
}

/** A route that the playground can try. */
export interface OpenTrial extends RouteTrial {
  /** Where requests go. `{model}` in it stands for the model. */
  readonly path: string
}

/** A request to plan, but not to send. */
export interface AskedRoute {
  /** As callers write it, such as `auto` or `acme/demo-model`. */
  readonly model: string
  /** A value of `routing.provider.sort`. Default: the default sort. */
  readonly sort?: string | undefined
  /** The period of the metrics, such as `1h`. Default: 15 minutes. */
  readonly interval?: string | undefined
  /** Without one, everything is allowed. */
  readonly key?: ApiKey | undefined
}

/** A policy with the settings of every level. */
export interface EffectivePolicy {
  /** As requests with the key get it. */
  readonly policy: Policy
  /** For each field, the level above the key that enforces it. */
  readonly lockedBy: Readonly<Record<PolicyField, Exclude<Level, 'key'> | null>>
  /** As stored or supplied. Undefined: the level sets nothing. */
  readonly levels: ReadonlyMap<Level, PolicyLayer | undefined>
}

/** A plugin of the config, as the admin API shows it. */
export interface PluginFacts {
  /** With its instance, such as `openai-chat(groq)`. */
  readonly name: string
  /** With those that have their defaults. */
  readonly options: readonly OptionFacts[]
  /** The names of its services, such as `key-store`. */
  readonly provides: readonly string[]
  /** The contracts that it implements here. */
  readonly contracts: readonly Contract[]
  /** By extension point. */
  readonly contributions: readonly {
    /** The kind, such as `provider`. */
    readonly point: string
    /** As the extension point knows it. */
    readonly name: string
  }[]
}

/** `config`: the config file sets it. `environment`: the config, or `defaults()`, took it from environment variables. */
export type OptionSource = 'command-line' | 'environment' | 'config' | 'default'

/** One option as it is in effect, and where it comes from. */
export interface OptionFacts {
  /** Such as `timeoutMs`. */
  readonly name: string
  /** Secrets are `***`. */
  readonly value: unknown
  /** Where the value comes from. */
  readonly source: OptionSource
  /** With the source `environment`: the variables that the value came from. */
  readonly variables?: readonly string[]
}
