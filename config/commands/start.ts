import { command, configOption, type ConfigOption } from '../command.ts'
import { holdReloads } from '../signals.ts'
import { workersOf } from '../workers/count.ts'
import { addStartOptions, overrideOf, type ServerOverride, type StartOptions } from '../workers/start-options.ts'

export default addStartOptions(command('start', 'Serve the gateway until SIGTERM or SIGINT.').addOption(configOption())).action(start)

async function start({ config: path, ...options }: ConfigOption & StartOptions): Promise<void> {
  holdReloads()
  const override = overrideOf(options)
  // Other processes read the file `.env` again, and it does not override what is set.
  const environment = { ...process.env }
  if (override.workers !== undefined && workersOf(override.workers) > 1) return await startWorkers(path, override, environment)
  const { loadConfig } = await import('../load.ts')
  const config = await loadConfig(path, override)
  if (workersOf(config.server.workers) > 1) return await startWorkers(path, override, environment)
  const { SingleProcess } = await import('../single-process.ts')
  await new SingleProcess(path, override, environment).start(config)
}

async function startWorkers(config: string | undefined, override: ServerOverride, environment: NodeJS.ProcessEnv): Promise<void> {
  const { Parent } = await import('../workers/parent.ts')
  await new Parent({ config, override, environment }).start()
}
