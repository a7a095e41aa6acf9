import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { PluginError, type Clock, type JsonObject, type Sight } from '../../../core/index.ts'
import { Masks, type HttpClient } from '../../../core/kit.ts'
import { McpConnection } from './connection.ts'
import type { McpTool } from './listed-tool.ts'
import { outcomeOf, type McpOutcome } from './outcome.ts'
import { faultOf, type ServerFault } from './server-fault.ts'

/** The options of a server, or of all servers of an origin. */
export interface ServerRules {
  readonly timeoutMs: number
  readonly listMs: number
  readonly seesContent: Sight
  /** Ask the caller before every call, even if the request says otherwise. */
  readonly approveAll: boolean
}

export interface McpServerOptions extends ServerRules {
  /** As errors name it. */
  readonly label: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The tools that callers may use. Default: all. */
  readonly tools?: readonly string[] | undefined
  /** Call it only if its address is public. */
  readonly publicOnly: boolean
}

export interface McpServerServices {
  readonly plugin: string
  readonly clock: Clock
  readonly http: HttpClient
}

interface Use {
  readonly signal?: AbortSignal | undefined
  readonly isSecond?: boolean
}

const maxSessions = 64

/** One MCP server with one set of credentials. Every owner of sessions has its own, because servers may keep state in it. */
export class McpServer {
  readonly options: McpServerOptions
  readonly #services: McpServerServices
  readonly #masks = new Masks()
  readonly #connections = new LRUCache<string, Promise<McpConnection>>({
    max: maxSessions,
    // Other calls may still be waiting in it. By then, all are over.
    dispose: connection => void setTimeout(ended, this.options.timeoutMs, connection).unref(),
  })
  #listed: { readonly at: number; readonly tools: Promise<readonly McpTool[]> } | undefined

  constructor(options: McpServerOptions, services: McpServerServices) {
    this.options = options
    this.#services = services
    for (const value of Object.values(options.headers)) {
      // Shorter values are words rather than secrets.
      const secret = value.replace(/^(?:Bearer|Basic|Token) +/i, '')
      if (secret.length >= 8) this.#masks.add(secret)
    }
  }

  /** The server is asked at most once per `listMs`, unless its list changes. */
  async tools(owner: string): Promise<readonly McpTool[]> {
    const now = this.#services.clock.elapsed()
    const listed = this.#listed && now - this.#listed.at < this.options.listMs ? this.#listed : { at: now, tools: this.#list(owner) }
    this.#listed = listed
    try {
      return await listed.tools
    } catch (error) {
      if (this.#listed === listed) this.#listed = undefined
      throw error
    }
  }

  /** Throws a `PluginError` whose cause is a `ServerFault`. */
  async call(owner: string, tool: McpTool, args: JsonObject, signal: AbortSignal): Promise<McpOutcome> {
    const { result, refusal } = await this.#with(owner, connection => connection.call(tool, args, signal), { signal })
    // The server may not know the tool any more.
    if (refusal !== undefined) this.#listed = undefined
    return outcomeOf(result, refusal, text => this.#masks.applySecrets(text))
  }

  close(): void {
    for (const connection of this.#connections.values()) ended(connection)
    this.#connections.clear()
  }

  async #list(owner: string): Promise<readonly McpTool[]> {
    const { tools: allowed } = this.options
    const tools = await this.#with(owner, connection => connection.tools())
    // A server may echo what it was sent.
    return tools
      .filter(({ name }) => (!allowed || allowed.includes(name)) && this.#masks.applySecrets(name) === name)
      .map(tool => this.#masked(tool))
  }

  #masked(tool: McpTool): McpTool {
    const text = JSON.stringify(tool)
    const masked = this.#masks.applySecrets(text)
    return masked === text ? tool : (JSON.parse(masked) as McpTool)
  }

  /**
   * Reopens a session that failed: at once if the server has forgotten it, otherwise for the next use. A session that was only too slow, or
   * whose caller left, stays, because other calls may be waiting in it. A failure may quote content, so only its kind is kept.
   */
  async #with<T>(owner: string, use: (connection: McpConnection) => Promise<T>, { signal, isSecond = false }: Use = {}): Promise<T> {
    const earlier = this.#connections.get(owner)
    const connecting = earlier ?? this.#connect()
    this.#connections.set(owner, connecting)
    let isConnected = false
    try {
      const connection = await connecting
      isConnected = true
      return await use(connection)
    } catch (error) {
      const fault = faultOf(error)
      const isOpen = isConnected && (signal?.aborted || fault.kind.leavesSession)
      if (!isOpen && this.#connections.peek(owner) === connecting) this.#connections.delete(owner)
      if (earlier && fault.kind.isForgotten && !isSecond) return await this.#with(owner, use, { signal, isSecond: true })
      throw this.#failure(error, fault)
    }
  }

  #connect(): Promise<McpConnection> {
    const { url, headers, timeoutMs, publicOnly } = this.options
    const { http } = this.#services
    return McpConnection.open({ url, headers, timeoutMs, publicOnly, http, onChanged: () => void (this.#listed = undefined) })
  }

  #failure(error: unknown, fault: ServerFault): PluginError {
    const kind = error instanceof Error ? error.name : typeof error
    return new PluginError(this.#services.plugin, `could not use the MCP server "${this.options.label}": it ${fault.words} (${kind})`, {
      cause: fault,
    })
  }
}

/** Tells servers and credentials apart, without keeping the credentials. */
export function digestOf(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}

function ended(connection: Promise<McpConnection>): void {
  void connection.then(each => each.close()).catch(() => {})
}
