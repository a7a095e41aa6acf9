import type { Masks } from '../foundation/masks.ts'
import type { PluginUse } from './plugin.ts'

/** Masks the secrets in the options of plugins, which need not be valid. */
export function addOptionSecrets(masks: Masks, uses: readonly Pick<PluginUse, 'plugin' | 'options'>[]): void {
  for (const use of uses) {
    try {
      masks.addSecrets(use.plugin.options, use.options)
    } catch {
      // Not a plugin, or its schema is none. The check of the plugins says so.
    }
  }
}
