import { secretToolMembers, type GenerationRequest, type ToolDefinition } from '../../contracts/request.ts'
import type { ToolEntry } from '../../contracts/tool.ts'
import { isObject, type JsonObject } from '../../foundation/json.ts'

type WithTools = Pick<GenerationRequest, 'tools'>

/**
 * The credentials in the entries of one request, for who runs the tools. They are taken out before anything else sees the request:
 * guardrails, wrappers, stores and records.
 */
export class ToolSecrets {
  readonly #byEntry = new Map<string, JsonObject>()

  /** Undefined if the request has none. */
  static of({ tools }: WithTools): ToolSecrets | undefined {
    if (!tools?.some(hasSecrets)) return undefined
    const secrets = new ToolSecrets()
    for (const tool of tools as readonly ToolEntry[]) if (hasSecrets(tool)) secrets.#byEntry.set(keyOf(tool), secretsIn(tool))
    return secrets
  }

  /** The request as the caller sent it. An entry that a guardrail sent elsewhere gets nothing. */
  restored<R extends WithTools>(request: R): R {
    if (!request.tools?.some(tool => this.#byEntry.has(keyOf(tool as ToolEntry)))) return request
    return { ...request, tools: (request.tools as readonly ToolEntry[]).map(tool => ({ ...tool, ...this.#byEntry.get(keyOf(tool)) })) }
  }
}

/** A request without the credentials in its entries of `tools`. */
export function withoutToolSecrets<R extends WithTools>(request: R): R {
  return withTools(request, hasSecrets, withoutSecrets)
}

/**
 * A request or its body, in any dialect, as it is echoed, stored and recorded: entries of `tools` have no credentials, and only the origin
 * of an address, because the rest often holds a key.
 */
export function withShownTools<R extends object>(request: R): R {
  return withTools(request, isUnshown, tool => {
    const { server_url: url, ...shown } = withoutSecrets(tool)
    return url === undefined ? shown : { ...shown, server_url: originOf(url) }
  })
}

function withTools<R extends object>(request: R, is: (tool: unknown) => tool is JsonObject, change: (tool: JsonObject) => JsonObject): R {
  const { tools } = request as { readonly tools?: unknown }
  if (!Array.isArray(tools) || !tools.some(is)) return request
  return { ...request, tools: tools.map((tool: unknown) => (is(tool) ? change(tool) : tool)) }
}

function isUnshown(tool: unknown): tool is JsonObject {
  return isObject(tool) && secretToolMembers.has(tool['type'])
}

function originOf(url: unknown): string {
  return (typeof url === 'string' && URL.parse(url)?.origin) || ''
}

/** True if an item brings an entry with credentials, or one that the gateway runs and that may have some. */
export function bringsSecretTool(item: object, loaded: ReadonlyMap<unknown, unknown>): boolean {
  const { tools } = item as JsonObject
  const entries: readonly unknown[] = Array.isArray(tools) ? tools : []
  return entries.some(tool => isUnshown(tool) && (hasSecrets(tool) || loaded.has(tool['type'])))
}

function withoutSecrets(tool: JsonObject): JsonObject {
  const secret = membersOf(tool)
  return Object.fromEntries(Object.entries(tool).filter(([name]) => !secret.includes(name)))
}

function secretsIn(tool: JsonObject): JsonObject {
  const secret = membersOf(tool)
  return Object.fromEntries(Object.entries(tool).filter(([name]) => secret.includes(name)))
}

function hasSecrets(tool: unknown): tool is ToolDefinition & JsonObject {
  return isObject(tool) && membersOf(tool).some(name => tool[name] !== undefined)
}

function membersOf({ type }: JsonObject): readonly string[] {
  return secretToolMembers.get(type) ?? none
}

const none: readonly string[] = []

/** Where an entry sends content. */
function keyOf({ type, server_label: label, server_url: url }: ToolEntry): string {
  return JSON.stringify([type, label, url])
}
