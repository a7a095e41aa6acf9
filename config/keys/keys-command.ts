import type { Command } from 'commander'
import type { Gateway } from '../../core/gateway.ts'
import { command, configOption, type ConfigOption } from '../command.ts'
import { loadConfig } from '../load.ts'
import { openGateway } from '../open-gateway.ts'

export interface KeysOptions extends ConfigOption {
  readonly json?: boolean
}

/** A `keys` command with the options that they all share. */
export function keysCommand(name: string, description: string): Command {
  return command(name, description).addOption(configOption()).option('--json', 'Print JSON.')
}

/**
 * Runs with the gateway of the config, which does not listen. `file` names the config in messages. Where there is no key store yet, only a
 * command that creates keys makes one.
 */
export async function withKeys(
  { config: path }: KeysOptions,
  run: (gateway: Gateway, file: string) => Promise<void>,
  { createFiles }: { readonly createFiles: boolean } = { createFiles: false },
): Promise<void> {
  const config = await loadConfig(path)
  const gateway = await openGateway(config, { logLevel: 'warn', createFiles })
  try {
    await run(gateway, config.file)
  } finally {
    await gateway.stop()
  }
}
