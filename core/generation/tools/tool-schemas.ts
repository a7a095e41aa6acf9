import type { Tool } from '../../contracts/tool.ts'
import { PluginError } from '../../foundation/errors.ts'
import type { Schema } from '../../foundation/json.ts'
import type { Registry } from '../../framework/registry.ts'
import { bodySchemaProblem } from '../../validation/body-validator.ts'

/** Throws a `PluginError` for a tool whose schema is not a JSON Schema. Otherwise the first request with the tool would fail. */
export function checkToolSchemas(tools: Registry<Tool>): void {
  for (const { type, schema } of tools.values()) {
    const problem = bodySchemaProblem(entrySchema(type, schema), schema as object)
    if (problem === undefined) continue
    const plugin = tools.pluginOf(type) ?? type
    throw new PluginError(plugin, `adds tool "${type}" with a bad \`schema\`: expected a JSON Schema, but ${problem}`)
  }
}

/** The schema is put where the entry is in a request, so that errors name the member by its path. */
export function entrySchema(type: string, schema: Schema): object {
  const properties = { type: { const: type } }
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  const items = { type: 'object', required: ['type'], if: { properties }, then: schema }
  return { type: 'object', properties: { tools: { type: 'array', items } } }
}
