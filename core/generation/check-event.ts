import { finishReasons } from '../contracts/events.ts'
import { PluginError } from '../foundation/errors.ts'
import type { RaisedEvent } from './raised-event.ts'

/**
 * Called with every event of a provider. Throws a `PluginError` for an unknown event type or finish reason: skipping it could turn a
 * reply into an empty answer.
 */
export function checkEvent(event: RaisedEvent, pluginOf: () => string): void {
  switch (event?.type) {
    case 'text':
    case 'refusal':
    case 'reasoning':
    case 'tool-input':
      if (typeof event.text !== 'string') throw new PluginError(pluginOf(), `yielded an event "${event.type}" whose text is not a string`)
      return
    case 'finish':
      if (!finishReasons.includes(event.reason))
        throw new PluginError(pluginOf(), `yielded the finish reason ${shown(event.reason)}: expected one of ${finishReasons.join(', ')}`)
      return
    case 'model':
    case 'annotation':
    case 'reasoning-state':
    case 'item-end':
    case 'tool-call':
    case 'suppressed-call':
    case 'search':
    case 'item':
    case 'compaction':
    case 'warning':
    case 'usage':
      return
    default:
      // The compiler checks that no type is missing above.
      event satisfies never
      throw new PluginError(pluginOf(), `yielded an event of the unknown type ${shown((event as { type?: unknown } | undefined)?.type)}`)
  }
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : String(value)
}
