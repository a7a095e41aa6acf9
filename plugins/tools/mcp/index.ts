import { Clock, definePlugin, PluginError, Tools } from '../../../core/index.ts'
import { checkSight, requirePeer, type ToolEntry, type ToolScope } from '../../../core/kit.ts'
import { entrySchema, readEntry } from './entry.ts'
import { checkApprovals, withoutMcpItems } from './items.ts'
import { optionsSchema } from './options.ts'
import { Origins } from './origins.ts'
import { McpServer, type ServerRules } from './server.ts'
import { McpServers } from './servers.ts'
import { McpSession } from './session.ts'

/** The tool `mcp`: any model can call the tools of the MCP servers that are allowed here. See docs/tools.md#mcp-servers. */
export default definePlugin({
  name: 'mcp',
  options: optionsSchema,
  needs: { clock: Clock },
  setup(gateway, { servers: listed, origins }, { clock }) {
    requirePeer(gateway.name, '@modelcontextprotocol/client', 'for MCP servers')
    const everything = [...listed, ...origins]
    if (everything.length === 0)
      throw new PluginError(gateway.name, 'expects servers or origins, but lists neither. List one, or leave it out.')
    const services = { plugin: gateway.name, clock, http: gateway.http }
    const byLabel = new Map<string, McpServer>()
    for (const { label, url, headers = {}, tools, ...rest } of listed) {
      if (byLabel.has(label)) throw new PluginError(gateway.name, `lists two servers with the label "${label}"`)
      byLabel.set(label, new McpServer({ label, url, headers, tools, publicOnly: false, ...rulesOf(rest) }, services))
    }
    const allowed = origins.map(({ origin, passThrough, ...rest }) => ({ origin, passThrough, ...rulesOf(rest) }))
    const servers = new McpServers(byLabel, new Origins(allowed, gateway.name), services)
    gateway.add(Tools, {
      type: 'mcp',
      schema: entrySchema,
      // Each server declares this itself.
      seesContent: 'local',
      timeoutMs: Math.max(...everything.map(({ timeoutMs }) => timeoutMs)) + 1_000,
      conversation: withoutMcpItems,
      open: (entry, scope) => openSession(servers, entry, scope),
    })
    gateway.onStop(() => servers.close())
  },
})

interface RuleOptions extends Pick<ServerRules, 'timeoutMs' | 'listMs'> {
  readonly requireApproval: 'always' | 'as-asked'
  readonly local: boolean
  readonly zdr?: Extract<ServerRules['seesContent'], object>['zdr']
  readonly hipaa?: Extract<ServerRules['seesContent'], object>['hipaa']
}

function rulesOf({ timeoutMs, listMs, requireApproval, local, zdr = false, hipaa = false }: RuleOptions): ServerRules {
  return { timeoutMs, listMs, approveAll: requireApproval === 'always', seesContent: local ? 'local' : { zdr, hipaa } }
}

function openSession(servers: McpServers, entry: ToolEntry, scope: ToolScope): McpSession {
  checkApprovals(scope.request.input)
  const read = readEntry(entry, scope.path)
  const chosen = servers.find(read, scope)
  checkSight('MCP server', read.label, chosen.server.options.seesContent, scope.context.caller.policy, scope.request)
  return new McpSession(chosen, read, scope)
}
