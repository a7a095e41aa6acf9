import { command, configOption, type ConfigOption } from '../command.ts'
import { Worker } from '../workers/worker.ts'
import { hostOption, portOption, workersOption, type ServerOverride } from '../workers/start-options.ts'

/** Started by `turnpike start --workers`, and of no use by itself. */
export default command('worker', 'One of the processes of turnpike start --workers.')
  .requiredOption('--number <number>', 'Which one.', Number)
  .addOption(configOption())
  .addOption(hostOption())
  .addOption(portOption())
  .addOption(workersOption())
  .action(work)

async function work({ number, config, ...override }: { readonly number: number } & ConfigOption & ServerOverride): Promise<void> {
  if (!process.connected) throw new Error('Only turnpike start runs this command.')
  await new Worker({ number, config, override }).start()
}
