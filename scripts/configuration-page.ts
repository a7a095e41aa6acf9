import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { serverSchema } from '../config/schema.ts'
import type { Plugin, PluginDefinition } from '../core/index.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Generates `docs/configuration.md` from the options' schemas. */
export async function configurationPage(): Promise<string> {
  const plugins = await Promise.all(globSync('plugins/*/*/index.ts', { cwd: root }).sort().map(readPlugin))
  return `${[introduction, '## `server`', table(rowsOf(serverSchema)), network, '## Plugins', ...plugins.map(pluginSection)].join('\n\n')}\n`
}

const introduction = `<!-- Written by \`npm run docs\` from the options' schemas: change those. -->

# Configuration

\`gateway.config.ts\` exports one object: where to listen, and the list of plugins. \`turnpike start\` reads it from the current folder, or from the path given with \`--config\`; \`.mts\`, \`.js\` and \`.mjs\` work too. TypeScript configs, and the TypeScript files that they import, are always ES modules, regardless of \`package.json\`.

\`\`\`ts
import { defaults, defineConfig, env } from 'turnpike/config'
import anthropic from 'turnpike/plugins/providers/anthropic'

export default defineConfig({
  server: { port: 8080 },
  plugins: [
    ...defaults({ without: ['anthropic'] }),
    anthropic({ apiKey: env('ANTHROPIC_API_KEY'), timeouts: { firstEventMs: 30_000 } }),
  ],
})
\`\`\`

- \`defaults({ without })\` returns the plugins that nearly everybody wants. \`without\` excludes plugins by name and providers by id. It includes the providers whose key is in the environment, and Ollama if it is running.
- \`env(name)\` reads a required environment variable, \`optionalEnv(name)\` an optional one. No option is read from the environment automatically. All missing variables are reported at once.
- If there is a \`.env\` file next to the config, it is read first. The real environment takes precedence.
- Relative paths in options start at the config's folder: \`./data\` is next to the config, no matter where the command runs.
- The list may contain nested lists, promises and falsy values: \`process.env.X && plugin({})\`.
- Plugins are set up in list order, except that a plugin comes after those whose services it needs. \`turnpike check\` prints the order, or every problem with the config.
- Secret options are masked in every log line and error.`

const network = `## Proxies and certificates

Connections to providers go through a proxy when the environment names one:

| variable | |
|---|---|
| \`HTTPS_PROXY\` | The proxy for \`https:\` addresses, such as \`http://user:password@proxy.example.com:3128\`. |
| \`HTTP_PROXY\` | The proxy for \`http:\` addresses. |
| \`NO_PROXY\` | What to reach directly, separated by commas: hosts with everything below them (\`example.com\`), only what is below them (\`*.example.com\`), addresses, networks (\`10.0.0.0/8\`), or \`*\`. An entry may end with a port. |

- Lower-case names work too, and win. The gateway reads the variables once, at start. Loopback addresses never use a proxy.
- Images and files that callers name by URL use the same proxies. The gateway looks up the host itself, refuses private addresses, and asks the proxy for a tunnel (\`CONNECT\`) to the address it checked. So the gateway needs a DNS server that knows public names, and a proxy that allows tunnels to addresses, for \`http:\` URLs on port 80. Where that is not possible, these URLs are refused. Hosts in \`mediaHosts\` are not checked: the proxy gets their names.
- Where TLS traffic is inspected, name the company's certificate authority in \`extraCaFile\`, or set Node's own \`NODE_EXTRA_CA_CERTS\`. Neither replaces the authorities of Node.js.`

interface DocumentedPlugin {
  readonly path: string
  readonly summary: string
  readonly definition: PluginDefinition
}

async function readPlugin(file: string): Promise<DocumentedPlugin> {
  const source = join(root, file)
  const { default: plugin } = (await import(pathToFileURL(source).href)) as { readonly default: Plugin<object> }
  const use = (plugin as (options: object) => ReturnType<Plugin<object>>)({})
  const [, comment = ''] = /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*export default definePlugin/.exec(readFileSync(source, 'utf8')) ?? []
  // References to the protocol are for readers of the code.
  const summary = comment
    .replaceAll(/^\s*\* ?/gm, '')
    .replaceAll(/ \(spec\.md[^)]*\)|: spec\.md[^\n]*/g, '.')
    .replaceAll('..', '.')
    .trim()
  return { path: dirname(file).replaceAll('\\', '/'), summary, definition: use.plugin }
}

function pluginSection({ path, summary, definition }: DocumentedPlugin): string {
  const rows = rowsOf(definition.options)
  return [
    `### ${definition.name}`,
    `\`turnpike/${path}\``,
    ...(summary === '' ? [] : [summary]),
    rows.length === 0 ? 'No options.' : table(rows),
  ].join('\n\n')
}

interface OptionSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly OptionSchema[]
  readonly oneOf?: readonly OptionSchema[]
  readonly items?: OptionSchema
  readonly properties?: Readonly<Record<string, OptionSchema>>
  readonly additionalProperties?: boolean | OptionSchema
  readonly required?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly format?: string
  readonly default?: unknown
  readonly description?: string
  readonly writeOnly?: boolean
}

interface Row {
  readonly name: string
  readonly type: string
  readonly fallback: string
  readonly description: string
}

function rowsOf(schema: object, prefix = ''): readonly Row[] {
  const { properties = {}, required = [] } = schema as OptionSchema
  return Object.entries(properties).flatMap(([key, option]) => {
    const name = prefix + key
    const row: Row = {
      name,
      type: `${typeOf(option)}${isSecret(option) ? ', secret' : ''}`,
      fallback: option.default === undefined ? (required.includes(key) ? 'required' : '') : code(JSON.stringify(option.default)),
      description: option.description ?? '',
    }
    const nested = option.items?.properties ? rowsOf(option.items, `${name}[].`) : rowsOf(option, `${name}.`)
    return [row, ...nested]
  })
}

function isSecret({ writeOnly, additionalProperties }: OptionSchema): boolean {
  return writeOnly === true || (typeof additionalProperties === 'object' && additionalProperties.writeOnly === true)
}

function typeOf(schema: OptionSchema): string {
  if (schema.const !== undefined) return code(JSON.stringify(schema.const))
  if (schema.enum) return schema.enum.map(value => code(JSON.stringify(value))).join(' or ')
  const variants = schema.anyOf ?? schema.oneOf
  if (variants) return variants.map(typeOf).join(' or ')
  switch (schema.type) {
    case 'array':
      return schema.items ? `list of ${schema.items.enum ? `(${typeOf(schema.items)})` : typeOf(schema.items)}` : 'list'
    case 'object':
      return typeof schema.additionalProperties === 'object' ? `object of ${typeOf(schema.additionalProperties)}` : 'object'
    case 'string':
      return schema.format ?? 'string'
    case 'integer':
    case 'number':
      return `${schema.type}${rangeOf(schema)}`
    default:
      return [schema.type ?? 'any'].flat().join(' or ')
  }
}

function rangeOf({ minimum, maximum, exclusiveMinimum }: OptionSchema): string {
  if (exclusiveMinimum !== undefined) return ` above ${exclusiveMinimum}`
  if (minimum === undefined) return maximum === undefined ? '' : ` to ${maximum}`
  return maximum === undefined ? ` from ${minimum}` : ` ${minimum} to ${maximum}`
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ name, type, fallback, description }) => `| ${[code(name), type, fallback, description].map(cell).join(' | ')} |`,
  )
  return ['| option | type | default | |', '|---|---|---|---|', ...lines].join('\n')
}

function code(text: string): string {
  return `\`${text}\``
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')
}
