import { InvalidArgumentError } from 'commander'
import { PluginError } from '../../core/index.ts'
import { describeError } from '../../core/kit.ts'
import { describePluginError } from '../../core/foundation/logger.ts'
import type { Gateway } from '../../core/gateway.ts'
import { command, configOption, numberFrom, type ConfigOption } from '../command.ts'
import { Announcement } from '../announcement.ts'
import { drain } from '../drain.ts'
import { handleFaults } from '../faults.ts'
import { firstAdminToken, hasDashboard } from '../first-admin-token.ts'
import { firstKey } from '../first-key.ts'
import { inheritedModels } from '../inherited-models.ts'
import { adminAddress, listenAdmin, type AdminListener } from '../listen-admin.ts'
import { listen, type Listener } from '../listen.ts'
import { loadConfig } from '../load.ts'
import { openGateway } from '../open-gateway.ts'
import { serverFormats, type ServerOptions } from '../schema.ts'
import { isFromTerminal } from '../terminal.ts'

interface StartOptions extends ConfigOption {
  readonly host?: string
  readonly port?: number
}

export default command('start', 'Serve the gateway until SIGTERM or SIGINT.')
  .addOption(configOption())
  .option('--host <address>', 'The address to listen on, instead of server.host.', hostFrom)
  .option(
    '--port <number>',
    'The port to listen on, instead of server.port.',
    numberFrom('a number from 0 to 65535', port => Number.isInteger(port) && port <= 65_535),
  )
  .action(start)

function hostFrom(text: string): string {
  const { accepts, expected } = serverFormats['listen-address']
  if (accepts.test(text)) return text
  throw new InvalidArgumentError(`Expected ${expected}.`)
}

async function start({ config: path, ...override }: StartOptions): Promise<void> {
  const config = await loadConfig(path, override)
  const gateway = await openGateway(config)
  let admin: AdminListener | undefined
  let listener: Listener | undefined
  try {
    const address = gateway.admin && adminAddress(config.server)
    // The public address comes first: if both are taken, the error names that one.
    listener = await listen(gateway, config.server)
    admin = address && (await listenAdmin(gateway.admin!, address, config.server))
  } catch (error) {
    if (listener) await drain(gateway, listener, 0)
    else await gateway.stop()
    throw error
  }
  outliveReaders()
  stopOnSignals(gateway, listener, admin, config.server)
  for (const warning of inheritedModels(gateway)) gateway.log.warn(warning)
  const adminWelcome = admin && (await firstAdminToken(gateway, admin))
  if (adminWelcome !== undefined) console.log(adminWelcome)
  const welcome = await firstKey(gateway, listener)
  if (welcome !== undefined) console.log(welcome)
  if (admin) console.log(`The admin API is on ${admin.url}`)
  if (admin && hasDashboard(gateway)) console.log(`The dashboard is on ${admin.url}/`)
  console.log(`Turnpike listens on ${listener.url}${listener.everywhere ? ', and on all other interfaces of this machine' : ''}`)
}

/**
 * The reader of the output may go away: a pager, a terminal, a log shipper. The gateway continues. Without this, the failed write would be
 * an uncaught error, whose log line would fail as well, without end.
 */
function outliveReaders(): void {
  for (const output of [process.stdout, process.stderr]) output.on('error', () => {})
}

/** The error of a plugin's hook is the cause of a `PluginError`. */
function logFailedStop({ log }: Gateway, error: unknown): void {
  if (!(error instanceof PluginError)) return log.error('stopping failed', describeError(error))
  const fields = { plugin: error.plugin, ...describePluginError(error.cause ?? error, true) }
  log.error('a plugin failed to stop, so its unwritten data is lost; the rest of the gateway has stopped', fields)
}

function stopOnSignals(
  gateway: Gateway,
  listener: Listener,
  admin: AdminListener | undefined,
  { drainAnnounceMs, drainTimeoutMs }: ServerOptions,
): void {
  let announcement: Announcement | undefined
  const stop = (why: string, exitCode: number, announceMs: number): void => {
    // A second signal means: do not wait. The announcement ends first, and then the process.
    if (announcement) return void (announcement.hurry() || process.exit(1))
    gateway.log.info('stopping', { why, runs: gateway.liveRuns, announceMs })
    announcement = new Announcement(gateway, listener, announceMs)
    announcement.over
      .then(() => drain(gateway, listener, drainTimeoutMs, admin))
      .then(
        () => process.exit(exitCode),
        (error: unknown) => {
          for (const each of error instanceof AggregateError ? error.errors : [error]) logFailedStop(gateway, each)
          process.exit(1)
        },
      )
  }
  // No load balancer knows a gateway that somebody tries out, and nobody wants to wait after Ctrl-C.
  const announceMs = isFromTerminal() ? 0 : drainAnnounceMs
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal, 0, announceMs))
  handleFaults(({ error, isRejection, plugin, place }) => {
    const fields = plugin === undefined ? describeError(error) : { plugin, place, ...describePluginError(error, true) }
    if (isRejection) return gateway.log.error('unhandled promise rejection', fields)
    gateway.log.error('uncaught error', fields)
    // The state may be inconsistent now, so let open requests finish and leave the rest to a new process.
    if (!announcement) stop('an uncaught error', 1, 0)
  })
}
