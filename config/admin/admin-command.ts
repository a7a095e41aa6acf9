import type { Command } from 'commander'
import { command, configOption } from '../command.ts'

/** A command that uses the admin API, with the options that they all share. */
export function adminCommand(name: string, description: string): Command {
  return command(name, description)
    .addOption(configOption())
    .option('--url <url>', 'The admin API of a running gateway. Needs GATEWAY_ADMIN_TOKEN. Default: that of the config, or its stores.')
    .option('--json', 'Print JSON.')
}
