import { Clock, definePlugin, invalidRequest, PluginError, Tools } from '../../../core/index.ts'
import { checkSight, hipaaAgreement, nearest, requirePeer, zdrAgreement, type ToolEntry, type ToolScope } from '../../../core/kit.ts'
import { entrySchema, readEntry } from './entry.ts'
import { withoutMcpItems } from './items.ts'
import { McpServer } from './server.ts'
import { McpSession } from './session.ts'

const zdrOption = {
  ...zdrAgreement,
  description: 'Its zero-data-retention policy. Without it, keys with zdr on cannot use the server.',
} as const
const hipaaOption = {
  ...hipaaAgreement,
  description: 'The business associate agreement with it. Without it, keys in HIPAA mode cannot use the server.',
} as const

/** The tool `mcp`: any model can call the tools of the MCP servers that are listed here. See docs/tools.md#mcp-servers. */
export default definePlugin({
  name: 'mcp',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['servers'],
    properties: {
      servers: {
        type: 'array',
        minItems: 1,
        description: 'The servers that callers may use, by their labels.',
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['label', 'url'],
          properties: {
            label: {
              type: 'string',
              pattern: '^[a-zA-Z0-9_-]{1,32}$',
              description: 'How callers name the server: `server_label`.',
            },
            url: {
              type: 'string',
              format: 'uri',
              pattern: '^https?://',
              description: 'The address of its Streamable HTTP endpoint.',
            },
            headers: {
              type: 'object',
              additionalProperties: { type: 'string', writeOnly: true },
              description: 'Headers for every request to the server, such as `authorization`.',
            },
            tools: {
              type: 'array',
              minItems: 1,
              items: { type: 'string', minLength: 1 },
              description: 'The tools that callers may use. Default: all tools of the server.',
            },
            requireApproval: {
              type: 'string',
              enum: ['always', 'as-asked'],
              default: 'as-asked',
              description: '`always`: callers approve every call. `as-asked`: only those that `require_approval` of their request names.',
            },
            timeoutMs: {
              type: 'integer',
              minimum: 1,
              maximum: 600_000,
              default: 30_000,
              description: 'The time limit for one call, and for the list of tools, in milliseconds.',
            },
            listMs: {
              type: 'integer',
              minimum: 0,
              maximum: 86_400_000,
              default: 300_000,
              description: 'How long the list of tools is kept, in milliseconds.',
            },
            local: {
              type: 'boolean',
              default: false,
              description: 'true: the server is yours, so content stays with you. Keys with zdr or hipaa on may then use it.',
            },
            zdr: zdrOption,
            hipaa: hipaaOption,
          },
        },
      },
    },
  },
  needs: { clock: Clock },
  setup(gateway, { servers: listed }, { clock }) {
    requirePeer(gateway.name, '@modelcontextprotocol/client', 'for MCP servers')
    const servers = new Map<string, McpServer>()
    for (const { label, url, headers = {}, tools, requireApproval, timeoutMs, listMs, local, zdr, hipaa } of listed) {
      if (servers.has(label)) throw new PluginError(gateway.name, `lists two servers with the label "${label}"`)
      const seesContent = local ? ('local' as const) : { zdr: zdr ?? (false as const), hipaa: hipaa ?? (false as const) }
      const options = { label, url, headers, timeoutMs, listMs, seesContent, approveAll: requireApproval === 'always', tools } as const
      servers.set(label, new McpServer(options, gateway.name, clock))
    }
    gateway.add(Tools, {
      type: 'mcp',
      schema: entrySchema,
      // Each server declares this itself.
      seesContent: 'local',
      timeoutMs: Math.max(...listed.map(({ timeoutMs }) => timeoutMs)) + 1_000,
      conversation: withoutMcpItems,
      open: (entry, scope) => openSession(servers, entry, scope),
    })
    gateway.onStop(() => {
      for (const server of servers.values()) server.close()
    })
  },
})

function openSession(servers: ReadonlyMap<string, McpServer>, entry: ToolEntry, scope: ToolScope): McpSession {
  const read = readEntry(entry)
  const server = servers.get(read.label)
  if (!server) {
    const near = nearest(read.label, [...servers.keys()])
    const advice = near.length > 0 ? `Did you mean ${near.join(', ')}?` : `There are: ${[...servers.keys()].join(', ')}.`
    throw invalidRequest(`There is no MCP server "${read.label}" here. ${advice}`, 'tools')
  }
  checkSight('MCP server', read.label, server.options.seesContent, scope.context.caller.policy, scope.request)
  return new McpSession(server, read, scope)
}
