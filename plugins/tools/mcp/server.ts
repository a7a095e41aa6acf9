import type { Client } from '@modelcontextprotocol/client'
import { LRUCache } from 'lru-cache'
import { isObject, PluginError, type Clock, type JsonObject, type Sight } from '../../../core/index.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { maxOutputLength } from './items.ts'

export interface McpServerOptions {
  readonly label: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly listMs: number
  readonly seesContent: Sight
  /** Ask the caller before every call, even if the request says otherwise. */
  readonly approveAll: boolean
  /** The tools that callers may use. Default: all. */
  readonly tools: readonly string[] | undefined
}

export interface McpTool {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
  readonly annotations: JsonObject | undefined
  readonly isReadOnly: boolean
}

export interface McpOutcome {
  readonly output: string
  readonly isError: boolean
}

interface Use {
  readonly signal?: AbortSignal | undefined
  readonly isSecond?: boolean
}

const maxOrganizations = 64
const maxTools = 500
const maxDescriptionLength = 4_000

/** One MCP server of the config. Every organization has its own session, because servers may keep state in it. */
export class McpServer {
  readonly options: McpServerOptions
  readonly #plugin: string
  readonly #clock: Clock
  readonly #clients = new LRUCache<string, Promise<Client>>({
    max: maxOrganizations,
    // Other calls may still be waiting in it. By then, all are over.
    dispose: client => void setTimeout(ended, this.options.timeoutMs, client).unref(),
  })
  #listed: { readonly at: number; readonly tools: Promise<readonly McpTool[]> } | undefined

  constructor(options: McpServerOptions, plugin: string, clock: Clock) {
    this.options = options
    this.#plugin = plugin
    this.#clock = clock
  }

  /** The server is asked at most once per `listMs`. */
  async tools(org: string): Promise<readonly McpTool[]> {
    const now = this.#clock.elapsed()
    const listed = this.#listed && now - this.#listed.at < this.options.listMs ? this.#listed : { at: now, tools: this.#list(org) }
    this.#listed = listed
    try {
      return await listed.tools
    } catch (error) {
      if (this.#listed === listed) this.#listed = undefined
      throw error
    }
  }

  async call(org: string, name: string, args: JsonObject, signal: AbortSignal): Promise<McpOutcome> {
    const { timeoutMs } = this.options
    const result = await this.#with(
      org,
      client =>
        client.callTool({ name, arguments: { ...args } }, { signal, timeout: timeoutMs, maxTotalTimeout: timeoutMs }).catch(reported),
      { signal },
    )
    const { content, structuredContent, isError } = result as JsonObject
    const said = Array.isArray(content) ? content.map(textOfPart).join('\n') : ''
    const output = said === '' && structuredContent !== undefined ? JSON.stringify(structuredContent) : said
    return { output: this.#withoutSecrets(output).slice(0, maxOutputLength).toWellFormed(), isError: isError === true }
  }

  close(): void {
    for (const client of this.#clients.values()) ended(client)
    this.#clients.clear()
  }

  async #list(org: string): Promise<readonly McpTool[]> {
    const { tools } = await this.#with(org, client => client.listTools(undefined, { timeout: this.options.timeoutMs }))
    const { tools: allowed } = this.options
    return tools
      .filter(({ name }) => !allowed || allowed.includes(name))
      .slice(0, maxTools)
      .map(({ name, description = '', inputSchema, annotations }) => ({
        name,
        description: description.slice(0, maxDescriptionLength).toWellFormed(),
        parameters: inputSchema as JsonObject,
        annotations: annotations as JsonObject | undefined,
        isReadOnly: annotations?.readOnlyHint === true,
      }))
  }

  /**
   * Reopens a session that failed: at once if the server has forgotten it, otherwise for the next use. A session that was only too slow, or
   * whose caller left, stays, because other calls may be waiting in it. A failure may quote content, so only its kind is kept.
   */
  async #with<T>(org: string, use: (client: Client) => Promise<T>, { signal, isSecond = false }: Use = {}): Promise<T> {
    const earlier = this.#clients.get(org)
    const connecting = earlier ?? this.#connect()
    this.#clients.set(org, connecting)
    let isConnected = false
    try {
      const client = await connecting
      isConnected = true
      return await use(client)
    } catch (error) {
      const { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } = await import('@modelcontextprotocol/client')
      const isLate = error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout
      const isOpen = isConnected && (signal?.aborted || isLate || error instanceof ProtocolError)
      if (!isOpen && this.#clients.peek(org) === connecting) this.#clients.delete(org)
      const isForgotten = earlier && error instanceof SdkHttpError && error.status === 404
      if (isForgotten && !isSecond) return await this.#with(org, use, { signal, isSecond: true })
      const kind = error instanceof Error ? error.name : typeof error
      throw new PluginError(this.#plugin, `could not use the MCP server "${this.options.label}" (${kind})`, { cause: error })
    }
  }

  async #connect(): Promise<Client> {
    const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
    const { url, headers, timeoutMs } = this.options
    const client = new Client({ name: 'turnpike', version: '1' }, { capabilities: {} })
    // Closing the session rejects the calls that wait for the reply.
    const bounded = boundedFetch(() => void client.close().catch(() => {}))
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, fetch: bounded }), {
      timeout: timeoutMs,
    })
    return client
  }

  /** A server may echo what it was sent. */
  #withoutSecrets(text: string): string {
    let clean = text
    for (const value of Object.values(this.options.headers)) {
      const secret = value.replace(/^(?:Bearer|Basic|Token) /i, '')
      if (secret.length >= 8) clean = clean.replaceAll(secret, '****')
    }
    return clean
  }
}

function ended(client: Promise<Client>): void {
  void client.then(each => each.close()).catch(() => {})
}

/** An error that the server reports, such as a missing argument, is the outcome of the call. */
async function reported(error: unknown): Promise<JsonObject> {
  const { ProtocolError } = await import('@modelcontextprotocol/client')
  if (error instanceof ProtocolError) return { content: [{ type: 'text', text: error.message }], isError: true }
  throw error
}

function textOfPart(part: unknown): string {
  if (!isObject(part)) return ''
  if (typeof part['text'] === 'string') return part['text']
  const { resource } = part
  if (isObject(resource) && typeof resource['text'] === 'string') return resource['text']
  return `[${String(part['type']).slice(0, 40)}]`
}
