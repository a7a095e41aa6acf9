import { resolve } from 'node:path'
import type { Logger } from '../foundation/logger.ts'
import type { Masks } from '../foundation/masks.ts'
import { check } from './checked-plugins.ts'
import { order } from './plugin-order.ts'
import { addOptionSecrets } from './option-secrets.ts'
import type { PluginUse } from './plugin.ts'

/** The upgrade of one plugin's stored data. */
export interface PluginMigrations {
  readonly plugin: string
  readonly migrations: readonly string[]
}

/** Calls `migrate` of each plugin that has one, in setup order. Relative paths in the options start at `folder`. */
export async function migratePlugins(
  uses: readonly PluginUse[],
  folder: string,
  log: Logger,
  masks: Masks,
): Promise<readonly PluginMigrations[]> {
  addOptionSecrets(masks, uses)
  const checked = order(check(uses))
  addOptionSecrets(masks, checked)
  const done: PluginMigrations[] = []
  for (const { name, plugin, options } of checked) {
    const context = {
      log: log.child(name),
      resolvePath: (path: string) => resolve(folder, path),
      secret: (text: string, expiresAtMs?: number) => masks.add(text, expiresAtMs),
    }
    if (plugin.migrate) done.push({ plugin: name, migrations: await plugin.migrate(context, options) })
  }
  return done
}
