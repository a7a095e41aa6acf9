import { command, configOption, type ConfigOption } from '../command.ts'
import { workersOf } from '../workers/count.ts'
import { hostOption, portOption, workersOption, type ServerOverride } from '../workers/start-options.ts'

export default command('start', 'Serve the gateway until SIGTERM or SIGINT.')
  .addOption(configOption())
  .addOption(hostOption())
  .addOption(portOption())
  .addOption(workersOption())
  .action(start)

async function start({ config: path, ...override }: ConfigOption & ServerOverride): Promise<void> {
  // Workers read the file `.env` again, and it does not override what is set.
  const environment = { ...process.env }
  const { Parent } = await import('../workers/parent.ts')
  const startWorkers = (): Promise<void> => new Parent({ config: path, override, environment }).start()
  if (override.workers !== undefined && workersOf(override.workers) > 1) return await startWorkers()
  const { SingleProcess } = await import('../single-process.ts')
  const single = await SingleProcess.load(path, override)
  if (workersOf(single.config.server.workers) > 1) return await startWorkers()
  await single.start()
}
