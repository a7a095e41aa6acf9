import { createLogger } from '../../core/foundation/logger.ts'
import { Copy, type CopyResult } from '../../plugins/stores/sql/copy/copy.ts'
import { command, configOption, type ConfigOption } from '../command.ts'
import { CopiedKeys } from '../copy/master-keys.ts'
import { placeOf } from '../copy/place.ts'
import { Progress, shown } from '../copy/progress.ts'
import { ConfigError, problemsOf } from '../errors.ts'
import { loadConfig } from '../load.ts'
import { processMasks } from '../process-output.ts'

export default command('copy', 'Copy all that the gateway keeps to another database. Stop all gateways first.')
  .requiredOption('--from <database>', 'The database to copy: sqlite:./data/turnpike.db, or postgres://user@db.example.com/turnpike.')
  .requiredOption('--to <database>', 'A new database, or one with the unfinished part of the same copy, which goes on.')
  .addOption(configOption())
  .addHelpText('after', '\nThe config says where the master key is. docs/moving.md shows the whole way.')
  .action(copy)

interface CopyCommandOptions extends ConfigOption {
  readonly from: string
  readonly to: string
}

async function copy({ from: source, to: target, config: path }: CopyCommandOptions): Promise<void> {
  const [from, to] = [placeOf('--from', source), placeOf('--to', target)]
  const config = await loadConfig(path)
  if (config.problems.length > 0) throw new ConfigError(config.file, config.problems)
  const keys = CopiedKeys.of(config)
  const log = createLogger('warn', processMasks)
  const opened = await explained(() => Copy.open({ from, to, sealer: keys.sealer, log }))
  try {
    // Before the copy, which may take hours: the file might not be writable.
    const advice = keys.handOver(to)
    if (opened.isResumed) console.log(`Going on with the copy of ${opened.source} to ${opened.target}.`)
    const progress = new Progress(process.stdout)
    const result = await explained(() => opened.run(each => progress.show(each)))
    console.log(`\n${summary(opened, result)}\n\n${advice}`)
  } finally {
    await opened.close()
  }
}

function summary({ source, target }: Copy, { tables, rows, changedTexts }: CopyResult): string {
  const changed = Object.entries(changedTexts).map(([table, texts]) => `${shown(texts)} in ${table}`)
  const lines = [
    `Copied ${shown(rows)} rows of ${tables} tables from ${source} to ${target}, and compared each of them.`,
    ...(changed.length > 0
      ? [
          `Postgres cannot store the character NUL: in these texts, U+FFFD took its place, as in all that gateways write to it: ${changed.join(', ')}.`,
        ]
      : []),
    `${source} is unchanged. Keep it until the gateway works with the copy, and start no gateway on both.`,
  ]
  return lines.join('\n')
}

async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new ConfigError(
      undefined,
      problemsOf(error).map(problem => processMasks.apply(problem)),
    )
  }
}
