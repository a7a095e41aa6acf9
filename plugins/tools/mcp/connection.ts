import type { Client, JSONRPCMessage, StandardSchemaV1 } from '@modelcontextprotocol/client'
import { isObject, type JsonObject } from '../../../core/index.ts'
import { listedTool, maxTools, type McpTool } from './listed-tool.ts'
import { mcpFetch, type McpFetchOptions } from './mcp-fetch.ts'
import { ServerFault, faultOf } from './server-fault.ts'

export interface ConnectionOptions extends McpFetchOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Called when the server says that its list has changed. */
  readonly onChanged: () => void
}

/** The answer of a server to a call. An error that it reports is an outcome, too. */
export interface Called {
  readonly result: JsonObject
  /** The code of the protocol's error if the server did not run the call. */
  readonly refusal?: number
}

const maxPages = 20
/** Of all pages of a list together. */
const maxListLength = 4_000_000
const lost = -32_099

/** A connection to a server: a session of the older protocol, or the stateless one of 2026-07-28. */
export class McpConnection {
  readonly #client: Client
  readonly #end: () => Promise<void>
  readonly #timeoutMs: number

  private constructor(client: Client, end: () => Promise<void>, timeoutMs: number) {
    this.#client = client
    this.#end = end
    this.#timeoutMs = timeoutMs
  }

  /** Asks a server for its version of the protocol, then connects as it says. Servers that fail at the question get the older handshake. */
  static async open(options: ConnectionOptions): Promise<McpConnection> {
    try {
      return await McpConnection.#opened(options, true)
    } catch (error) {
      if (!faultOf(error).kind.mayBeOlder) throw error
      return await McpConnection.#opened(options, false)
    }
  }

  static async #opened({ url, headers, timeoutMs, onChanged, ...rest }: ConnectionOptions, asks: boolean): Promise<McpConnection> {
    const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
    const client = new Client(
      { name: 'turnpike', version: '1' },
      {
        capabilities: {},
        // A server must not make the gateway compile its schemas.
        jsonSchemaValidator: { getValidator: () => value => ({ valid: true, data: value as never, errorMessage: undefined }) },
        versionNegotiation: { mode: asks ? 'auto' : 'legacy', probe: { timeoutMs: Math.min(timeoutMs, probeMs) } },
        inputRequired: { autoFulfill: false },
      },
    )
    client.setNotificationHandler('notifications/tools/list_changed', onChanged)
    const fetch = mcpFetch({ ...rest, timeoutMs: timeoutMs + 1_000 })
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, fetch })
    // A reply that ends early would keep its call waiting.
    const send = transport.send.bind(transport)
    transport.send = (message, given) =>
      send(message, {
        ...given,
        onRequestStreamEnd() {
          given?.onRequestStreamEnd?.()
          if ('id' in (message as object) && 'method' in (message as object)) transport.onmessage?.(cut(message as { id: string | number }))
        },
      })
    await client.connect(transport, { timeout: timeoutMs })
    const end = async (): Promise<void> => {
      await transport.terminateSession().catch(() => {})
      await client.close()
    }
    return new McpConnection(client, end, timeoutMs)
  }

  /** Leaves out tools that are not as the protocol says, and those beyond the limits. */
  async tools(): Promise<readonly McpTool[]> {
    const tools = new Map<string, McpTool>()
    let length = 0
    // A server may take its time for each page.
    const signal = AbortSignal.timeout(this.#timeoutMs)
    for (let pages = 0, cursor: unknown; pages < maxPages; pages++) {
      const page = await this.#client
        .request({ method: 'tools/list', params: typeof cursor === 'string' ? { cursor } : {} }, anything, {
          timeout: this.#timeoutMs,
          maxTotalTimeout: this.#timeoutMs,
          signal,
        })
        .catch((error: unknown) => uncut(signal.aborted ? signal.reason : error))
      if (!Array.isArray(page['tools'])) throw new ServerFault('did not answer as the protocol says')
      for (const entry of page['tools'] as readonly unknown[]) {
        const tool = listedTool(entry)
        length += tool ? JSON.stringify(tool).length : 0
        if (tools.size >= maxTools || length > maxListLength) return [...tools.values()]
        if (tool && !tools.has(tool.name)) tools.set(tool.name, tool)
      }
      if (typeof page['nextCursor'] !== 'string' || page['nextCursor'] === cursor) break
      cursor = page['nextCursor']
    }
    return [...tools.values()]
  }

  async call({ name, parameters }: McpTool, args: JsonObject, signal: AbortSignal): Promise<Called> {
    const { ProtocolError } = await import('@modelcontextprotocol/client')
    const limits = { signal, timeout: this.#timeoutMs, maxTotalTimeout: this.#timeoutMs }
    const toolDefinition = { name, inputSchema: parameters as { type: 'object' } }
    try {
      const result = await this.#client.callTool({ name, arguments: { ...args } }, { ...limits, toolDefinition })
      return { result: result as JsonObject }
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      if (error.code === lost) return uncut(error)
      return { result: { content: [{ type: 'text', text: error.message }], isError: true }, refusal: error.code }
    }
  }

  /** Ends the session, too. */
  async close(): Promise<void> {
    await this.#end()
  }
}

/** Long enough for a slow server. One that never answers the question is asked in the older way. */
const probeMs = 10_000

/** The list is read here, so that one wrong tool takes no others with it. */
const anything: StandardSchemaV1<JsonObject, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'turnpike',
    validate: value => (isObject(value) ? { value } : { issues: [{ message: 'no object' }] }),
  },
}

function cut({ id }: { readonly id: string | number }): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: lost, message: 'the reply was cut' } }
}

function uncut(error: unknown): never {
  if ((error as { readonly code?: unknown }).code === lost) throw new ServerFault('ended its reply before the answer')
  throw error
}
