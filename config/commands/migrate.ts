import { createLogger } from '../../core/foundation/logger.ts'
import { migratePlugins } from '../../core/framework/migrate-plugins.ts'
import { command, configOption, type ConfigOption } from '../command.ts'
import { ConfigError, problemsOf } from '../errors.ts'
import { loadConfig } from '../load.ts'
import { processMasks } from '../process-output.ts'

export default command('migrate', 'Upgrade the tables of the database. A start does so too, but has only 10 seconds.')
  .addOption(configOption())
  .action(migrate)

async function migrate({ config: path }: ConfigOption): Promise<void> {
  const { file, folder, plugins, problems } = await loadConfig(path)
  if (problems.length > 0) throw new ConfigError(file, problems)
  try {
    const all = await migratePlugins(plugins, folder, createLogger('warn', processMasks), processMasks)
    if (all.length === 0) console.log('No plugin in this config has a database.')
    for (const { plugin, migrations } of all) console.log(`${plugin}: ${migrations.length === 0 ? 'up to date' : migrations.join(', ')}`)
  } catch (error) {
    throw new ConfigError(
      file,
      problemsOf(error).map(problem => processMasks.apply(problem)),
    )
  }
}
