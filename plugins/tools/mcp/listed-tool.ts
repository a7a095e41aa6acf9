import { isObject, type JsonObject } from '../../../core/index.ts'
import { hasValidHeaders } from './parameter-headers.ts'

/** A tool of a server. */
export interface McpTool {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
  readonly annotations: JsonObject | undefined
  readonly isReadOnly: boolean
}

/** More tools are left out. */
export const maxTools = 500
const maxNameLength = 256
const maxDescriptionLength = 4_000
/** Tools with a longer schema are left out: every request to a model would carry it. */
const maxSchemaLength = 64_000

/** Reads an entry of `tools/list`. Undefined if the tool cannot be offered: its name, schema or headers are not as the protocol says. */
export function listedTool(entry: unknown): McpTool | undefined {
  if (!isObject(entry)) return undefined
  const { name, description, inputSchema: schema, annotations } = entry
  if (typeof name !== 'string' || name === '' || name.length > maxNameLength || !isObject(schema)) return undefined
  if (schema['type'] !== undefined && schema['type'] !== 'object') return undefined
  if (JSON.stringify(schema).length > maxSchemaLength || !hasValidHeaders(schema)) return undefined
  const known = isObject(annotations) && JSON.stringify(annotations).length <= maxDescriptionLength ? annotations : undefined
  return {
    name,
    description: typeof description === 'string' ? description.slice(0, maxDescriptionLength).toWellFormed() : '',
    parameters: { type: 'object', ...schema },
    annotations: known,
    isReadOnly: known?.['readOnlyHint'] === true,
  }
}
