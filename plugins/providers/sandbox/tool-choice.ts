import { ProviderFailure, type JsonObject } from '../../../core/index.ts'
import type { CustomTool, FunctionTool, UpstreamRequestBody } from '../../../core/kit.ts'

/** A tool that can be called, with its namespace. */
export type CallableTool = (FunctionTool | CustomTool) & { readonly namespace?: string }

export interface ToolSelection {
  /** The tools that may be called now. */
  readonly tools: readonly CallableTool[]
  /** True if the caller wants a call instead of text. */
  readonly forced: boolean
}

/** The tools that `tools` and `tool_choice` allow. Skips tools that the caller does not run. */
export function selectTools({ tools = [], tool_choice: choice = 'auto' }: UpstreamRequestBody): ToolSelection {
  const callable = tools.flatMap<CallableTool>(tool => {
    if (tool.type === 'namespace') return tool.tools.map(inner => ({ ...inner, namespace: tool.name }))
    return tool.type === 'function' || tool.type === 'custom' ? [tool] : []
  })
  if (choice === 'none') return { tools: [], forced: false }
  if (typeof choice === 'string') return { tools: callable, forced: choice === 'required' && callable.length > 0 }
  if (choice.type === 'allowed_tools') {
    const allowed = callable.filter(tool => choice.tools?.some(each => isMeant(tool, each)))
    return { tools: choice.mode === 'none' ? [] : allowed, forced: choice.mode === 'required' && allowed.length > 0 }
  }
  const chosen = callable.filter(tool => isMeant(tool, choice))
  if (chosen.length === 0)
    throw new ProviderFailure({
      kind: 'invalid-request',
      status: 400,
      message: `tool_choice asks for ${JSON.stringify(choice.name ?? choice.type)}, which is not among the function and custom tools of this request.`,
    })
  return { tools: chosen, forced: true }
}

function isMeant(tool: CallableTool, choice: { readonly type: string; readonly name?: string } & JsonObject): boolean {
  if (choice.type === 'namespace') return tool.namespace === choice.name
  return tool.type === choice.type && tool.name === choice.name
}
