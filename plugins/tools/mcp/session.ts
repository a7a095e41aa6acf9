import type { Item, JsonObject, ToolCall, ToolFunction, ToolResult, ToolSession } from '../../../core/index.ts'
import type { ToolEvent, ToolRun, ToolScope } from '../../../core/kit.ts'
import type { McpEntry } from './entry.ts'
import { argumentsIn, functionNameOf } from './items.ts'
import type { McpServer, McpTool } from './server.ts'

/** One MCP server in one request. */
export class McpSession implements ToolSession {
  readonly #server: McpServer
  readonly #entry: McpEntry
  readonly #scope: ToolScope
  #tools: ReadonlyMap<string, McpTool> = new Map()
  /** Ids of the approvals, by the ids of the calls. */
  readonly #approved = new Map<string, string>()

  constructor(server: McpServer, entry: McpEntry, scope: ToolScope) {
    this.#server = server
    this.#entry = entry
    this.#scope = scope
  }

  async functions(): Promise<readonly ToolFunction[]> {
    const tools = await this.#server.tools(this.#org)
    this.#tools = new Map(tools.filter(tool => this.#entry.allows(tool)).map(tool => [this.#functionName(tool.name), tool]))
    return Array.from(this.#tools, ([name, { name: toolName, description, parameters }]) => ({ name, toolName, description, parameters }))
  }

  /** The list appears once in a conversation. */
  introduction(): readonly ToolEvent[] {
    const isListed = (item: JsonObject): boolean => item['type'] === 'mcp_list_tools' && item['server_label'] === this.#label
    if (this.#items.some(isListed)) return []
    const tools = [...this.#tools.values()].map(({ name, description, parameters, annotations }) => ({
      name,
      description,
      input_schema: parameters,
      annotations: annotations ?? null,
    }))
    return [{ type: 'item', item: { type: 'mcp_list_tools', server_label: this.#label, tools, error: null } }]
  }

  resumed(): readonly ToolCall[] {
    const items = this.#items
    const ran = new Set<unknown>(items.map(item => item['approval_request_id']).filter((_, index) => items[index]!['type'] === 'mcp_call'))
    const approved = new Set(
      items.flatMap(item => (item['type'] === 'mcp_approval_response' && item['approve'] === true ? [item['approval_request_id']] : [])),
    )
    return items.flatMap(({ type, id, server_label: label, name, arguments: args }) => {
      if (type !== 'mcp_approval_request' || label !== this.#label || typeof id !== 'string' || !approved.has(id) || ran.has(id)) return []
      // Callers may resend a request that the stored conversation already contains. It runs once.
      ran.add(id)
      const functionName = this.#functionName(String(name))
      if (!this.#tools.has(functionName)) return []
      this.#approved.set(`call_${id}`, id)
      return [{ callId: `call_${id}`, name: functionName, arguments: argumentsIn(args) }]
    })
  }

  async run({ callId, name, arguments: args }: ToolCall, { signal }: ToolRun): Promise<ToolResult> {
    const tool = this.#tools.get(name)!
    const approval = this.#approved.get(callId)
    const call = { server_label: this.#label, name: tool.name, arguments: JSON.stringify(args) }
    const needsApproval = this.#server.options.approveAll || this.#entry.needsApproval(tool)
    if (needsApproval && approval === undefined)
      return { output: '', handsOver: true, shown: [{ type: 'item', item: { type: 'mcp_approval_request', ...call } }] }
    const { output, isError } = await this.#outcome(tool.name, args, signal)
    const item = {
      type: 'mcp_call',
      ...call,
      status: isError ? 'failed' : 'completed',
      output: isError ? null : output,
      error: isError ? output : null,
      approval_request_id: approval ?? null,
    }
    return { output, shown: [{ type: 'item', item }], counts: { mcp: 1 }, failed: isError }
  }

  /** The model reads the errors that a server reports. If the server cannot be reached, the reason is for the operator. */
  async #outcome(name: string, args: JsonObject, signal: AbortSignal): ReturnType<McpServer['call']> {
    try {
      return await this.#server.call(this.#org, name, args, signal)
    } catch (error) {
      signal.throwIfAborted()
      const { label } = this.#server.options
      this.#scope.context.log.warn('an MCP server failed', { server: label, error: error instanceof Error ? error.name : typeof error })
      return { output: `The server "${label}" could not run the call.`, isError: true }
    }
  }

  #functionName(tool: string): string {
    return functionNameOf(this.#label, tool)
  }

  get #items(): readonly JsonObject[] {
    return this.#scope.request.input as readonly Item[] as readonly JsonObject[]
  }

  get #label(): string {
    return this.#entry.label
  }

  get #org(): string {
    return this.#scope.context.caller.key.org
  }
}
