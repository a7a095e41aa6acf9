import { AssemblyError } from '../foundation/errors.ts'
import type { JsonObject } from '../foundation/json.ts'
import { raised, type ErrorDetails } from '../foundation/logger.ts'
import { nearest } from '../foundation/nearest.ts'
import { thrownMessage } from '../foundation/thrown-message.ts'
import type { CheckedPlugin } from './checked-plugins.ts'
import { placeIn } from './plugin-origin.ts'

const maxFrames = 30

/** The places of plugins' exceptions and, for trusted plugins, their messages. */
export class TrustedErrors implements ErrorDetails {
  readonly #shows: boolean
  readonly #plugins = new Map<string, { readonly plugin: object; readonly isTrusted: boolean }>()

  /** `shows`: whether the log shows exceptions at all. */
  constructor(shows: boolean) {
    this.#shows = shows
  }

  /** Called when the plugins are set up. `trusted`: names of plugins, with or without their instance. Throws for an unknown name. */
  know(plugins: readonly CheckedPlugin[], trusted: readonly string[]): void {
    const names = new Set(plugins.flatMap(({ name, plugin }) => [name, plugin.name]))
    const unknown = trusted.find(name => !names.has(name))
    if (unknown !== undefined) {
      const near = nearest(unknown, [...names])
      const advice = near.length > 0 ? `Did you mean ${near.join(', ')}?` : 'Name plugins of this config, as `turnpike check` lists them.'
      throw new AssemblyError(`server.trustedPlugins names "${unknown}", which is not loaded. ${advice}`)
    }
    for (const { name, plugin } of plugins)
      this.#plugins.set(name, { plugin, isTrusted: trusted.includes(name) || trusted.includes(plugin.name) })
  }

  of(name: string, error: unknown, mayShow: boolean): JsonObject {
    const known = this.#plugins.get(name)
    if (!known) return {}
    const place = placeIn(raised(error), known.plugin)?.text
    const placed = place === undefined ? {} : { place }
    return mayShow && this.#shows && known.isTrusted ? { ...placed, ...shown(error) } : placed
  }
}

function shown(error: unknown): JsonObject {
  const own = raised(error)
  const frames =
    own instanceof Error
      ? String(own.stack)
          .split('\n')
          .filter(line => line.trimStart().startsWith('at '))
      : []
  return { reason: reasonOf(error, own), ...(frames.length > 0 && { stack: frames.slice(0, maxFrames).map(line => line.trim()) }) }
}

function reasonOf(error: unknown, own: unknown): string {
  const [told, cause] = [thrownMessage(error), thrownMessage(own)]
  return told.includes(cause) ? told : `${told} (${cause})`
}
