import type { Command } from 'commander'
import type { Gateway } from '../../core/gateway.ts'
import { command, configOption, type ConfigOption } from '../command.ts'
import { loadConfig } from '../load.ts'
import { openGateway } from '../open-gateway.ts'

export interface KeysOptions extends ConfigOption {
  readonly json?: boolean
}

/** A command on API keys, with the options that all of them have. */
export function keysCommand(name: string, description: string): Command {
  return command(name, description).addOption(configOption()).option('--json', 'Print JSON.')
}

/** Runs with the gateway of the config, which is set up and does not listen. `file` is the config's name for messages. */
export async function withKeys({ config: path }: KeysOptions, run: (gateway: Gateway, file: string) => Promise<void>): Promise<void> {
  const config = await loadConfig(path)
  const gateway = await openGateway(config, 'warn')
  try {
    await run(gateway, config.file)
  } finally {
    await gateway.stop()
  }
}
