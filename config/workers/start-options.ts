import { InvalidArgumentError, Option } from 'commander'
import { numberFrom } from '../command.ts'
import { serverFormats } from '../server-formats.ts'
import type { Launch } from './worker-process.ts'

/** The options of the `server` section that the command line may set. */
export interface ServerOverride {
  readonly host?: string
  readonly port?: number
  readonly workers?: number | 'auto'
}

const maxWorkers = 256

export function hostOption(): Option {
  return new Option('--host <address>', 'The address to listen on, instead of server.host.').argParser(hostFrom)
}

export function portOption(): Option {
  const parse = numberFrom('a number from 0 to 65535', port => Number.isInteger(port) && port <= 65_535)
  return new Option('--port <number>', 'The port to listen on, instead of server.port.').argParser(parse)
}

export function workersOption(): Option {
  const parse = numberFrom(
    `"auto" or a number from 1 to ${maxWorkers}`,
    count => Number.isInteger(count) && count >= 1 && count <= maxWorkers,
  )
  return new Option('--workers <number>', 'How many processes serve, or "auto" for one per core, instead of server.workers.').argParser(
    (text: string) => (text === 'auto' ? text : parse(text)),
  )
}

/** How to start another process with the same options. */
export function launchOf(config: string | undefined, { host, port, workers }: ServerOverride, environment: NodeJS.ProcessEnv): Launch {
  const given = { config, host, port, workers }
  const options = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, `${value}`]))
  return { program: process.argv[1]!, options, environment }
}

function hostFrom(text: string): string {
  const { accepts, expected } = serverFormats['listen-address']
  if (accepts.test(text)) return text
  throw new InvalidArgumentError(`Expected ${expected}.`)
}
