// Compiles the JSON Schemas of the product, so that a start needs neither ajv nor the time to compile them. Prints a module that takes
// the place of core/validation/precompiled.ts in the published package.

import { globSync } from 'node:fs'
import standalone from 'ajv/dist/standalone/index.js'
import { _ } from 'ajv'
import { webSearchTool } from '../core/contracts/tools.ts'
import { check } from '../core/framework/checked-plugins.ts'
import type { PluginDefinition } from '../core/framework/plugin.ts'
import { entrySchema as toolEntry } from '../core/generation/tools/tool-schemas.ts'
import { looseBodyValidator } from '../core/validation/body-validator.ts'
import { announcedSchemas, fingerprint, type AnnouncedSchema } from '../core/validation/lazy-validator.ts'
import { ajvFor } from '../core/validation/compiler.ts'
import { entrySchema as mcpEntry } from '../plugins/tools/mcp/entry.ts'

const announced = new Map<string, AnnouncedSchema>()
announcedSchemas.subscribe(message => {
  const { schema, rules } = message as AnnouncedSchema
  announced.set(fingerprint(schema, rules), { schema, rules })
})

// The modules announce the schemas that they use themselves.
await import('../config/load.ts')
const root = new URL('..', import.meta.url)
for (const file of globSync('plugins/*/*/index.ts', { cwd: root }).sort()) {
  const { default: plugin } = (await import(new URL(file, root).href)) as { readonly default: (options: object) => unknown }
  announceOptions(plugin({}) as { readonly plugin: PluginDefinition })
}
const { default: absentProviders } = await import('../config/absent-providers.ts')
announceOptions(absentProviders({ providers: [] }))

// A start checks the schemas of tools.
looseBodyValidator(toolEntry('web_search', webSearchTool))
looseBodyValidator(toolEntry('mcp', mcpEntry))

/** The request schemas and the server's section of the config. */
const usedByEveryStart = new Set(['body', 'server'])
const members = Array.from(announced, ([key, { schema, rules }]) => `[${JSON.stringify(key)}, ${factory(schema, rules)}]`)
process.stdout.write(`export const precompiled = new Map([\n${members.join(',\n')}\n])\n`)

/** The host announces the schema when it checks the options. That some are missing does not matter here. */
function announceOptions(use: { readonly plugin: PluginDefinition }): void {
  try {
    check([{ apiVersion: 1, options: {}, ...use }])
  } catch {}
}

/** In a function, so that a start only creates the validators that it uses. */
function factory(schema: object, rules: AnnouncedSchema['rules']): string {
  const ajv = ajvFor(rules, { code: { source: true, optimize: true, lines: true, formats: _`references.formats` } })
  const code = standalone.default(ajv, ajv.compile(schema))
  const whole = `references => {\nconst module = { exports: {} };\n${code}\nreturn module.exports;\n}`
  return usedByEveryStart.has(rules.name) ? eager(whole) : whole
}

/**
 * Has the functions compiled when the module is, so that they are in the compile cache. Node.js saves what V8 has compiled by then, and V8
 * compiles a function in parentheses at once. The bundler removes parentheses, so `eagerFunctions` puts them in place of this mark.
 */
function eager(code: string): string {
  const [, head, name, body] =
    /^([^]*?)\nfunction (validate\d+)(\([^]*\})\s*(?:\2\.evaluated[^]*)?\nreturn module\.exports;\n\}$/.exec(code) ?? []
  if (head === undefined || head.includes('function ')) return `__eager(${code})`
  const withoutExports = head.replaceAll(/^module\.exports.*$/gm, '')
  return `__eager(${withoutExports}\nreturn __eager(function ${name}${body});\n})`
}
