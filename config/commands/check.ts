import type { Gateway } from '../../core/gateway.ts'
import { nameOf } from '../../core/foundation/token.ts'
import { loadedCopies, type Copy } from '../../core/framework/copies.ts'
import { command, configOption, type ConfigOption } from '../command.ts'
import { inheritedModels } from '../inherited-models.ts'
import { adminAddress } from '../listen-admin.ts'
import { loadConfig } from '../load.ts'
import { openGateway } from '../open-gateway.ts'
import { checkTls } from '../tls.ts'

export default command('check', 'Print what a config sets up, or every problem in it. Creates no files.')
  .addOption(configOption())
  .action(checkConfig)

async function checkConfig({ config: path }: ConfigOption): Promise<void> {
  const config = await loadConfig(path)
  if (config.problems.length === 0 && config.server.tls) checkTls(config.server.tls)
  const gateway = await openGateway(config, { logLevel: 'warn', createFiles: false, lookOnly: true })
  try {
    if (gateway.admin) adminAddress(config.server)
    const warnings = inheritedModels(gateway).map(warning => `Warning: ${warning}\n\n`)
    console.log(`${config.file} is fine.\n\n${warnings.join('')}${describe(gateway, await loadedCopies())}`)
  } finally {
    await gateway.stop()
  }
}

function describe({ plugins, catalogs, contributions, endpoints }: Gateway, copies: readonly Copy[]): string {
  const order = plugins.map(({ name, provides }) => [name, provides.map(nameOf).join(', ')])
  // There are too many absent providers to list.
  const present = contributions.filter(({ point }) => point !== 'absent provider')
  const points = Map.groupBy(present, ({ point }) => point)
  const catalogRows = catalogs.map(({ name, description }) => [name, description])
  return [
    section('Plugins, in setup order, and the services they provide', order),
    ...Array.from(points, ([point, entries]) =>
      section(
        `${point[0]!.toUpperCase()}${point.slice(1)}s`,
        entries.map(({ name, plugin }) => [name, plugin]),
      ),
    ),
    ...(catalogRows.length > 0 ? [section('Catalogs', catalogRows)] : []),
    ...(copies.length > 1 ? [section('Copies of turnpike and turnpike-sdk', copies.map(copyRow))] : []),
    section('Endpoints that keys with these settings may use', [
      ['zdr', `${endpoints.zdr} of ${endpoints.all}`],
      ['hipaa', `${endpoints.hipaa} of ${endpoints.all}`],
    ]),
  ].join('\n\n')
}

function copyRow({ name, version, folder }: Copy): readonly string[] {
  return [`${name} ${version}`, folder]
}

function section(title: string, rows: readonly (readonly string[])[]): string {
  const width = Math.max(...rows.map(([first = '']) => first.length))
  return [title, ...rows.map(([first = '', second = '']) => `  ${first.padEnd(width)}  ${second}`.trimEnd())].join('\n')
}
