import {
  GatewayError,
  type Endpoint,
  type Item,
  type JsonObject,
  type ToolCall,
  type ToolFunction,
  type ToolResult,
  type ToolSession,
} from '../../../core/index.ts'
import { type ToolEvent, type ToolRun, type ToolScope, wording, own } from '../../../core/kit.ts'
import type { McpEntry } from './entry.ts'
import { argumentsIn, functionNameOf } from './items.ts'
import type { McpTool } from './listed-tool.ts'
import { httpError, protocolError, type McpOutcome } from './outcome.ts'
import { faultOf } from './server-fault.ts'
import type { ChosenServer } from './servers.ts'

/** One MCP server in one request. */
export class McpSession implements ToolSession {
  readonly #chosen: ChosenServer
  readonly #entry: McpEntry
  readonly #scope: ToolScope
  #tools: ReadonlyMap<string, McpTool> = new Map()
  /** Ids of the approvals, by the ids of the calls. */
  readonly #approved = new Map<string, string>()

  constructor(chosen: ChosenServer, entry: McpEntry, scope: ToolScope) {
    this.#chosen = chosen
    this.#entry = entry
    this.#scope = scope
  }

  /** Content leaves the gateway unchecked if an upstream calls the server, so a policy or a guardrail that protects it keeps the calls here. */
  runner({ capabilities }: Endpoint): 'gateway' | 'endpoint' {
    const { isGuarded, context } = this.#scope
    const { zdr, hipaa } = context.caller.policy
    const mayPass = this.#chosen.rules?.passThrough && !isGuarded && !zdr.value && !hipaa.value && !context.caller.key.tools
    return mayPass && capabilities.builtInTools ? 'endpoint' : 'gateway'
  }

  async functions(): Promise<readonly ToolFunction[]> {
    const tools = await this.#listed()
    const { name: server } = this.#chosen
    const offered = tools.filter(tool => this.#entry.allows(tool) && this.#scope.allows(server, tool.name))
    this.#tools = new Map(offered.map(tool => [this.#functionName(tool.name), tool]))
    return Array.from(this.#tools, ([name, tool], index) => ({
      name,
      toolName: tool.name,
      description: index === 0 ? this.#introduced(tool.description) : tool.description,
      parameters: tool.parameters,
    }))
  }

  /** The list appears once in a conversation. */
  introduction(): readonly ToolEvent[] {
    const isListed = (item: JsonObject): boolean => item['type'] === 'mcp_list_tools' && item['server_label'] === this.#label
    if (this.#items.some(isListed)) return []
    const tools = [...this.#tools.values()].map(({ name, description, parameters, annotations }) => ({
      name,
      description,
      input_schema: parameters,
      ...(annotations && { annotations }),
    }))
    return [{ type: 'item', item: { type: 'mcp_list_tools', server_label: this.#label, tools } }]
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
    const needsApproval = this.#chosen.server.options.approveAll || this.#entry.needsApproval(tool)
    if (needsApproval && approval === undefined)
      return { output: '', handsOver: true, shown: [{ type: 'item', item: { type: 'mcp_approval_request', ...call } }] }
    const { output, error } = await this.#outcome(tool, args, signal)
    const item = {
      type: 'mcp_call',
      ...call,
      status: error ? 'failed' : 'completed',
      output: error ? null : output,
      error: error ?? null,
      approval_request_id: approval ?? null,
    }
    return { output, shown: [{ type: 'item', item }], counts: { mcp: 1 }, failed: error !== undefined }
  }

  /** Callers hear why a server fails that they named. The reason of any other is for the operator. */
  async #listed(): Promise<readonly McpTool[]> {
    const { server, owner, rules } = this.#chosen
    try {
      return await server.tools(owner)
    } catch (error) {
      if (!rules) throw error
      const { words, kind } = faultOf(error)
      this.#warn(error)
      const advice = kind.isRefusal ? ' Check the authorization and the headers of its entry.' : ' Try again, or leave it out.'
      const message = wording`The MCP server "${this.#label}" ${words}, so its tools are not known.${own(advice)}`
      throw new GatewayError({
        status: 424,
        type: 'provider_error',
        code: 'provider_error',
        message,
        param: this.#scope.path,
        cause: error,
      })
    }
  }

  /** The model reads the errors that a server reports. */
  async #outcome(tool: McpTool, args: JsonObject, signal: AbortSignal): Promise<McpOutcome> {
    const { server, owner, rules } = this.#chosen
    try {
      return await server.call(owner, tool, args, signal)
    } catch (error) {
      signal.throwIfAborted()
      this.#warn(error)
      const { words, kind } = faultOf(error)
      const output = rules
        ? `The MCP server "${this.#label}" ${words}, so the call has no result.`
        : `The server "${this.#label}" could not run the call.`
      return { output, error: rules && kind.status ? httpError(kind.status, output) : protocolError(output) }
    }
  }

  #warn(error: unknown): void {
    const { log, id } = this.#scope.context
    log.warn('an MCP server failed', { server: this.#chosen.server.options.label, request: id, reason: faultOf(error).words })
  }

  #introduced(description: string): string {
    const about = this.#entry.description
    return about ? `${description}\n\nAbout all tools of "${this.#label}": ${about}`.trim() : description
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
}
