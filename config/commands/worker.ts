import { command, configOption, type ConfigOption } from '../command.ts'
import { Worker } from '../workers/worker.ts'
import { addStartOptions, overrideOf, type StartOptions } from '../workers/start-options.ts'

/** Started by `turnpike start --workers`, and of no use by itself. */
export default addStartOptions(
  command('worker', 'One of the processes of turnpike start --workers.')
    .requiredOption('--number <number>', 'Which one.', Number)
    .addOption(configOption()),
).action(work)

async function work({ number, config, ...options }: { readonly number: number } & ConfigOption & StartOptions): Promise<void> {
  if (!process.connected) throw new Error('Only turnpike start runs this command.')
  await new Worker({ number, config, override: overrideOf(options) }).start()
}
