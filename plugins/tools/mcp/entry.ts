import { invalidRequest } from '../../../core/index.ts'
import type { Schema, ToolEntry } from '../../../core/kit.ts'

const names = { type: 'array', maxItems: 500, items: { type: 'string' } } as const
const filter = { type: 'object', properties: { tool_names: names, read_only: { type: 'boolean' } } } as const

/** An entry of `tools`, as in the public protocol. Only the operator sets addresses and secrets. */
export const entrySchema: Schema = {
  type: 'object',
  required: ['server_label'],
  properties: {
    server_label: { type: 'string', minLength: 1, maxLength: 64 },
    allowed_tools: { anyOf: [names, filter] },
    require_approval: {
      anyOf: [{ enum: ['always', 'never'] }, { type: 'object', properties: { always: filter, never: filter } }],
    },
  },
}

interface Filter {
  readonly tool_names?: readonly string[]
  readonly read_only?: boolean
}

interface Wire {
  readonly server_label: string
  readonly allowed_tools?: readonly string[] | Filter
  readonly require_approval?: 'always' | 'never' | { readonly always?: Filter; readonly never?: Filter }
}

/** The properties of a tool that a filter can test. */
export interface Filtered {
  readonly name: string
  readonly isReadOnly: boolean
}

export interface McpEntry {
  readonly label: string
  allows(tool: Filtered): boolean
  needsApproval(tool: Filtered): boolean
}

const operators = ['server_url', 'connector_id', 'authorization', 'headers']

export function readEntry(entry: ToolEntry): McpEntry {
  for (const member of operators)
    if (entry[member] !== undefined)
      throw invalidRequest(
        `The operator of this gateway lists the MCP servers, so an entry may only name one by its server_label. Leave out ${member}.`,
        'tools',
      )
  const { server_label: label, allowed_tools: allowed, require_approval: approval = 'always' } = entry as unknown as Wire
  return {
    label,
    allows: tool => allowed === undefined || matches(isList(allowed) ? { tool_names: allowed } : allowed, tool),
    needsApproval(tool) {
      if (typeof approval === 'string') return approval === 'always'
      if (approval.always && matches(approval.always, tool)) return true
      return !(approval.never && matches(approval.never, tool))
    },
  }
}

function matches({ tool_names: names, read_only: readOnly }: Filter, { name, isReadOnly }: Filtered): boolean {
  return (names === undefined || names.includes(name)) && (readOnly === undefined || readOnly === isReadOnly)
}

function isList(value: readonly string[] | Filter): value is readonly string[] {
  return Array.isArray(value)
}
