import { invalidRequest } from '../../../core/index.ts'
import { type Schema, type ToolEntry, wording, own } from '../../../core/kit.ts'

const names = { type: 'array', maxItems: 500, items: { type: 'string' } } as const
const filter = { type: 'object', properties: { tool_names: names, read_only: { type: 'boolean' } } } as const
/** HTTP allows no control characters in headers. */
const headerValue = { type: 'string', maxLength: 16_384, pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$' } as const

/** An entry of `tools`, as in the public protocol. */
export const entrySchema: Schema = {
  type: 'object',
  required: ['server_label'],
  properties: {
    server_label: { type: 'string', minLength: 1, maxLength: 64 },
    server_url: { type: 'string', minLength: 1, maxLength: 2_048 },
    server_description: { type: 'string', maxLength: 4_000 },
    authorization: { ...headerValue, minLength: 1 },
    headers: {
      type: 'object',
      maxProperties: 50,
      additionalProperties: headerValue,
    },
    allowed_tools: { anyOf: [names, filter] },
    require_approval: {
      anyOf: [{ enum: ['always', 'never'] }, { type: 'object', properties: { always: filter, never: filter } }],
    },
    defer_loading: { type: 'boolean' },
  },
}

interface Filter {
  readonly tool_names?: readonly string[] | null
  readonly read_only?: boolean | null
}

interface Wire {
  readonly server_label: string
  readonly server_url?: string
  readonly server_description?: string
  readonly authorization?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly allowed_tools?: readonly string[] | Filter
  readonly require_approval?: 'always' | 'never' | { readonly always?: Filter | null; readonly never?: Filter | null }
}

/** The properties of a tool that a filter can test. */
export interface Filtered {
  readonly name: string
  readonly isReadOnly: boolean
}

export interface McpEntry {
  readonly label: string
  /** Absent if the entry names a server of the config. */
  readonly url: string | undefined
  readonly description: string | undefined
  /** The caller's, for the server alone. */
  readonly headers: Readonly<Record<string, string>>
  allows(tool: Filtered): boolean
  needsApproval(tool: Filtered): boolean
}

/** Headers that belong to the connection or to the protocol. */
const reserved =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-.*|accept|accept-encoding|cookie2|mcp-(?:session-id|protocol-version|method|name|param-.*)|last-event-id)$/i

const token = /^[!#$%&'*+\-.^_`|~0-9a-z]{1,256}$/

/** `path`: where the entry is in the request. */
export function readEntry(entry: ToolEntry, path: string): McpEntry {
  if (entry['connector_id'] !== undefined)
    throw invalidRequest(
      wording`connector_id is not supported: connectors run at their vendor only. Name an MCP server by its server_label, or with its server_url.`,
      `${path}.connector_id`,
    )
  const wire = entry as unknown as Wire
  const {
    server_label: label,
    server_url: url,
    server_description: description,
    allowed_tools: allowed,
    require_approval: approval = 'always',
  } = wire
  if (url === undefined)
    for (const member of ['authorization', 'headers'])
      if (entry[member] !== undefined)
        throw invalidRequest(
          wording`Expected ${own(member)} only together with server_url: for the servers of its config, the gateway has the credentials. Leave out ${own(member)}.`,
          `${path}.${member}`,
        )
  return {
    label,
    url,
    description,
    headers: headersOf(wire, path),
    allows: tool => allowed === undefined || matches(isList(allowed) ? { tool_names: allowed } : allowed, tool),
    needsApproval(tool) {
      if (typeof approval === 'string') return approval === 'always'
      if (approval.always && matches(approval.always, tool)) return true
      return !(approval.never && matches(approval.never, tool))
    },
  }
}

/** `authorization` is a token, or a whole value such as `Basic …`. */
function headersOf({ authorization, headers = {} }: Wire, path: string): Readonly<Record<string, string>> {
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const odd = given.find(([name]) => !token.test(name))
  if (odd)
    throw invalidRequest(wording`"${odd[0].slice(0, 64)}" is not the name of a header. Rename it, or leave it out.`, `${path}.headers`)
  const wrong = given.find(([name], index) => reserved.test(name) || given.findIndex(([other]) => other === name) !== index)
  if (wrong)
    throw invalidRequest(
      reserved.test(wrong[0])
        ? wording`The header "${wrong[0]}" belongs to the connection with the server, and the gateway sets it. Leave it out.`
        : wording`The header "${wrong[0]}" occurs more than once. Leave one out.`,
      `${path}.headers`,
    )
  const all = Object.fromEntries(given)
  if (authorization === undefined) return all
  if (all['authorization'] !== undefined)
    throw invalidRequest(
      wording`Expected one authorization, but got the member and a header. Leave out one of them.`,
      `${path}.authorization`,
    )
  return { ...all, authorization: /^[a-z][a-z0-9-]* +\S/i.test(authorization) ? authorization : `Bearer ${authorization}` }
}

function matches({ tool_names: names, read_only: readOnly }: Filter, { name, isReadOnly }: Filtered): boolean {
  return (names?.includes(name) ?? true) && (readOnly === undefined || readOnly === null || readOnly === isReadOnly)
}

function isList(value: readonly string[] | Filter): value is readonly string[] {
  return Array.isArray(value)
}
