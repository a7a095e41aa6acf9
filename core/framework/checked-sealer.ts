import type { Sealer } from '../contracts/sealer.ts'
import { PluginError } from '../foundation/errors.ts'
import { kindOf } from '../foundation/kind-of.ts'
import { isPending } from '../runtime/pending.ts'

/**
 * Wraps a plugin's sealer, whose functions are synchronous. With a promise in place of a MAC, every API key would have the same hash, and a
 * promise in place of opened bytes would open anything.
 */
export function checkedSealer(sealer: Sealer, plugin: string): Sealer {
  const refused = (name: string, expected: string, value: unknown): PluginError => {
    const got = isPending(value) ? 'a promise' : kindOf(value)
    if (isPending(value)) Promise.resolve(value).catch(() => {})
    return new PluginError(plugin, `returned a bad answer from \`${name}\` of sealer: expected ${expected}, got ${got}`)
  }
  return {
    get keySource() {
      return sealer.keySource
    },
    get isShared() {
      return sealer.isShared
    },
    get hasKey() {
      return sealer.hasKey
    },
    seal(context, bytes) {
      const sealed: unknown = sealer.seal(context, bytes)
      if (sealed instanceof Uint8Array) return sealed
      throw refused('seal', 'a Uint8Array', sealed)
    },
    open(context, bytes) {
      const opened: unknown = sealer.open(context, bytes)
      if (opened === undefined || opened instanceof Uint8Array) return opened
      throw refused('open', 'a Uint8Array or undefined', opened)
    },
    isCurrent(bytes) {
      const isCurrent: unknown = sealer.isCurrent(bytes)
      if (typeof isCurrent === 'boolean') return isCurrent
      throw refused('isCurrent', 'true or false', isCurrent)
    },
    mac(purpose, text) {
      const mac: unknown = sealer.mac(purpose, text)
      if (Buffer.isBuffer(mac)) return mac
      throw refused('mac', 'a Buffer', mac)
    },
  }
}
