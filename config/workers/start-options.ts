import { InvalidArgumentError, Option, type Command } from 'commander'
import { numberFrom } from '../command.ts'
import { serverFormats } from '../server-formats.ts'
import type { Launch } from './worker-process.ts'

/** The options of the `server` section that the command line may set. */
export interface ServerOverride {
  readonly host?: string
  readonly port?: number
  readonly workers?: number | 'auto'
  readonly admin?: { readonly host?: string; readonly port?: number }
}

/** The options that commander parses for `addStartOptions`. */
export interface StartOptions extends Omit<ServerOverride, 'admin'> {
  readonly adminHost?: string
  readonly adminPort?: number
}

const maxWorkers = 256

/** Adds the options that replace a part of the `server` section. */
export function addStartOptions(command: Command): Command {
  return addAddressOptions(command).addOption(workersOption())
}

/** Those of them that say where it listens. */
export function addAddressOptions(command: Command): Command {
  return command
    .addOption(new Option('--host <address>', 'The address to listen on, instead of server.host.').argParser(hostFrom))
    .addOption(new Option('--port <number>', 'The port to listen on, instead of server.port.').argParser(portFrom))
    .addOption(new Option('--admin-host <address>', 'The address of the admin API, instead of server.admin.host.').argParser(hostFrom))
    .addOption(new Option('--admin-port <number>', 'The port of the admin API, instead of server.admin.port.').argParser(portFrom))
}

export function overrideOf({ adminHost, adminPort, ...override }: StartOptions): ServerOverride {
  if (adminHost === undefined && adminPort === undefined) return override
  return {
    ...override,
    admin: { ...(adminHost !== undefined && { host: adminHost }), ...(adminPort !== undefined && { port: adminPort }) },
  }
}

function workersOption(): Option {
  const parse = numberFrom(
    `"auto" or a number from 1 to ${maxWorkers}`,
    count => Number.isInteger(count) && count >= 1 && count <= maxWorkers,
  )
  return new Option('--workers <number>', 'How many processes serve, or "auto" for one per core, instead of server.workers.').argParser(
    (text: string) => (text === 'auto' ? text : parse(text)),
  )
}

/** How to start another process with the same options. */
export function launchOf(
  config: string | undefined,
  { host, port, workers, admin }: ServerOverride,
  environment: NodeJS.ProcessEnv,
): Launch {
  const given = { config, host, port, workers, 'admin-host': admin?.host, 'admin-port': admin?.port }
  const options = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, `${value}`]))
  return { program: process.argv[1]!, options, environment }
}

const portFrom = numberFrom('a number from 0 to 65535', port => Number.isInteger(port) && port <= 65_535)

function hostFrom(text: string): string {
  const { accepts, expected } = serverFormats['listen-address']
  if (accepts.test(text)) return text
  throw new InvalidArgumentError(`Expected ${expected}.`)
}
