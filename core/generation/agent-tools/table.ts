import type { Capabilities } from '../../contracts/catalog.ts'
import type { ToolDefinition } from '../../contracts/request.ts'
import { agentToolTypes, type AgentToolType } from '../../contracts/tools.ts'
import type { AgentTool } from './agent-tool.ts'
import { applyPatch } from './apply-patch.ts'
import { localShell } from './local-shell.ts'
import { shell } from './shell.ts'
import { toolSearch } from './tool-search.ts'

/** One row per tool. Everything that core knows of these tools follows from their rows. */
export const agentTools: Readonly<Record<AgentToolType, AgentTool>> = {
  apply_patch: applyPatch,
  local_shell: localShell,
  shell,
  tool_search: toolSearch,
}

const rows = agentToolTypes.map(type => agentTools[type])
const byTool: ReadonlyMap<string, AgentTool> = new Map(rows.map(row => [row.type, row]))
const byCall: ReadonlyMap<string, AgentTool> = new Map(rows.map(row => [row.call, row]))
const byOutput: ReadonlyMap<string, AgentTool> = new Map(rows.map(row => [row.output, row]))

/** The tool of an entry of `tools`. */
export function agentToolOf({ type }: Pick<ToolDefinition, 'type'>): AgentTool | undefined {
  return byTool.get(type)
}

export function agentToolOfCall(itemType: string): AgentTool | undefined {
  return byCall.get(itemType)
}

export function agentToolOfOutput(itemType: string): AgentTool | undefined {
  return byOutput.get(itemType)
}

/** True if the endpoint has the tool itself. */
export function hasAgentTool({ agentTools: known, builtInTools }: Capabilities, type: AgentToolType): boolean {
  return known ? known.includes(type) : builtInTools === true
}
