import { LRUCache } from 'lru-cache'
import { GatewayError, invalidRequest } from '../../../core/index.ts'
import { nearest, type ToolScope, wording, own } from '../../../core/kit.ts'
import type { McpEntry } from './entry.ts'
import type { Origins, OriginRules } from './origins.ts'
import { digestOf, McpServer, type McpServerServices } from './server.ts'

/** The server that an entry names. */
export interface ChosenServer {
  readonly server: McpServer
  /** Its name in the permissions of keys: the label in the config, or else the host. */
  readonly name: string
  /** Who may share a session with it. */
  readonly owner: string
  /** Set if the caller named its address. */
  readonly rules: OriginRules | undefined
}

const maxNamed = 256
const keptMs = 600_000

/** The servers of the config, and those that callers name by an address. */
export class McpServers {
  readonly #listed: ReadonlyMap<string, McpServer>
  readonly #origins: Origins
  readonly #services: McpServerServices
  /** By owner, address and credentials: nobody shares a session or a list of tools with somebody else. */
  readonly #named = new LRUCache<string, McpServer>({
    max: maxNamed,
    ttl: keptMs,
    updateAgeOnGet: true,
    // Credentials must not stay in memory.
    ttlAutopurge: true,
    dispose: server => server.close(),
  })

  constructor(listed: ReadonlyMap<string, McpServer>, origins: Origins, services: McpServerServices) {
    this.#listed = listed
    this.#origins = origins
    this.#services = services
  }

  /** Throws a 400 for a server that the config does not allow, and a 403 for one that the API key does not. */
  find(entry: McpEntry, { path, context, allows }: ToolScope): ChosenServer {
    const { key, owner } = context.caller
    const chosen = entry.url === undefined ? this.#byLabel(entry.label, key.org, path) : this.#byAddress(entry, owner, path)
    if (!allows(chosen.name) && !key.tools?.some(name => name.startsWith(`mcp/${chosen.name}/`))) {
      const message = wording`This API key may not use the MCP server "${own(chosen.name)}". It may use: ${own(key.tools?.join(', ') || 'none')}.`
      throw new GatewayError({ status: 403, type: 'permission_error', code: 'tool_not_allowed', message, param: path })
    }
    return chosen
  }

  close(): void {
    for (const server of this.#listed.values()) server.close()
    this.#named.clear()
  }

  #byLabel(label: string, owner: string, path: string): ChosenServer {
    const server = this.#listed.get(label)
    if (server) return { server, name: label, owner, rules: undefined }
    const labels = [...this.#listed.keys()]
    const near = nearest(label, labels)
    const advice =
      labels.length === 0
        ? 'Name one with its server_url.'
        : near.length > 0
          ? `Did you mean ${near.join(', ')}?`
          : `There are: ${labels.join(', ')}.`
    throw invalidRequest(wording`There is no MCP server "${label}" here. ${own(advice)}`, `${path}.server_label`)
  }

  #byAddress({ label, url: address, headers }: McpEntry, owner: string, path: string): ChosenServer {
    const allowed = this.#origins.find(address!)
    if (!allowed)
      throw invalidRequest(
        wording`The operator of this gateway does not allow the address of the MCP server "${label}". Name a server of the gateway by its server_label alone, or ask the operator to list the origin of this one.`,
        `${path}.server_url`,
      )
    const { url, rules, publicOnly } = allowed
    const identity = digestOf(owner, url.href, Object.entries(headers).toSorted())
    let server = this.#named.get(identity)
    if (!server) {
      server = new McpServer({ ...rules, label: url.host, url: url.href, headers, publicOnly }, this.#services)
      this.#named.set(identity, server)
    }
    return { server, name: url.host, owner, rules }
  }
}
