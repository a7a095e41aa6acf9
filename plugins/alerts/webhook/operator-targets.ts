import { PluginError, type Options } from '../../../core/index.ts'
import type { Sealer } from '../../../core/stores.ts'
import type { webhookOptions } from './options.ts'
import type { Recipient } from './recipient.ts'
import { expectedSecret, isSecret } from './secret.ts'

type OperatorTarget = Options<typeof webhookOptions>['targets'][number]

/** Throws a `PluginError` that quotes no address and no secret. */
export function checkTargets(plugin: string, targets: readonly OperatorTarget[]): void {
  const known = new Map<string, number>()
  for (const [index, target] of targets.entries()) {
    const place = `its option targets[${index}]`
    const { href, username, password } = new URL(target.url)
    if (username || password) throw new PluginError(plugin, `has a user name or a password in the url of ${place}. Remove it`)
    const other = known.get(href)
    if (other !== undefined) throw new PluginError(plugin, `has the same url in ${place} and in targets[${other}]. Make one of both`)
    known.set(href, index)
    if (!secretsOf(target).every(isSecret)) throw new PluginError(plugin, `has a bad secret in ${place}: expected ${expectedSecret}`)
  }
}

/** Their ids are the same in all processes with the same master key. */
export function operatorTargets(targets: readonly OperatorTarget[], sealer: Sealer): readonly Recipient[] {
  return targets.map(target => {
    const url = new URL(target.url)
    return {
      id: `cfg_${sealer.mac('alert-target', url.href).toString('hex').slice(0, 24)}`,
      org: null,
      name: target.name ?? url.host,
      format: target.format,
      url: url.href,
      secrets: secretsOf(target),
      kinds: target.kinds ?? null,
      minSeverity: target.minSeverity,
      orgs: target.orgs ?? null,
      disabled: false,
      createdAt: 0,
      allowPrivate: true,
    }
  })
}

function secretsOf({ secret = [] }: OperatorTarget): readonly string[] {
  return typeof secret === 'string' ? [secret] : secret
}
