import { finishReasons } from '../contracts/events.ts'
import { PluginError } from '../foundation/errors.ts'
import { isObject } from '../foundation/json.ts'
import { kindOf } from '../foundation/kind-of.ts'
import type { ExpectedChoices } from './expected-choices.ts'
import type { RaisedEvent } from './raised-event.ts'

/**
 * Called with every event of a provider. Throws a `PluginError` for an unknown event type or finish reason, because skipping it could turn
 * a reply into an empty answer, and for members that core cannot work with. Its message quotes nothing: any text may be content. `choices`:
 * those that the request asks for, if it asks for several.
 */
export function checkEvent(event: RaisedEvent, pluginOf: () => string, choices?: ExpectedChoices): void {
  switch (event?.type) {
    case 'text':
    case 'refusal':
    case 'reasoning':
    case 'tool-input':
      if (typeof event.text !== 'string') throw new PluginError(pluginOf(), `yielded an event "${event.type}" whose text is not a string`)
      return
    case 'finish':
      if (!finishReasons.includes(event.reason)) throw unknownReason(event, pluginOf())
      choices?.end(event.reason)
      return
    case 'choice':
      if (!finishReasons.includes(event.reason) || event.reason === 'pause') throw unknownReason(event, pluginOf())
      if (!choices?.mayGoOn())
        throw new PluginError(pluginOf(), 'yielded an event "choice" that begins more choices than the request asks for')
      return
    case 'tool-call':
      if (typeof event.key !== 'string') throw bad(event.type, 'key', 'a string', event.key, pluginOf())
      if (typeof event.name !== 'string') throw bad(event.type, 'name', 'a string', event.name, pluginOf())
      return
    case 'item':
      checkItem(event.item, pluginOf)
      return
    case 'search':
      if (!isJson(event.action)) throw bad(event.type, 'action', 'an object of JSON', event.action, pluginOf())
      return
    case 'annotation':
      if (!isJson(event.citation)) throw bad(event.type, 'citation', 'an object of JSON', event.citation, pluginOf())
      return
    case 'reasoning-state':
    case 'compaction':
      if (typeof event.opaque !== 'string') throw bad(event.type, 'opaque', 'a string', event.opaque, pluginOf())
      return
    case 'extra':
      if (!isJson(event.fields)) throw bad(event.type, 'fields', 'an object of JSON', event.fields, pluginOf())
      return
    case 'model':
    case 'item-end':
    case 'suppressed-call':
    case 'warning':
    case 'usage':
      return
    default:
      // The compiler checks that no type is missing above.
      event satisfies never
      throw unknownEvent(event, pluginOf())
  }
}

function checkItem(item: unknown, pluginOf: () => string): void {
  if (!isJson(item)) throw bad('item', 'item', 'an object of JSON', item, pluginOf())
  if (typeof item['type'] !== 'string') throw bad('item', 'item.type', 'a string', item['type'], pluginOf())
}

/** A member such as a BigInt would make the whole answer unwritable. */
function isJson(value: unknown): value is Readonly<Record<string, unknown>> {
  try {
    return isObject(value) && JSON.stringify(value) !== undefined
  } catch {
    return false
  }
}

function unknownEvent(event: unknown, plugin: string): PluginError {
  if (!isObject(event)) return new PluginError(plugin, `yielded ${kindOf(event)} as an event: expected an object with a \`type\``)
  const { type } = event
  if (typeof type !== 'string')
    return new PluginError(plugin, `yielded an event with a bad \`type\`: expected a string, got ${kindOf(type)}`)
  return new PluginError(
    plugin,
    'yielded an event with a bad `type`: expected one of GenerationEvent, such as text, usage or finish, got another string',
    { word: wordIn(type) },
  )
}

function unknownReason({ type, reason }: { readonly type: string; readonly reason: unknown }, plugin: string): PluginError {
  const expected = finishReasons.filter(each => type === 'finish' || each !== 'pause')
  const problem = `yielded a ${type} with a bad \`reason\`: expected one of ${expected.join(', ')}, got ${typeof reason === 'string' ? 'another string' : kindOf(reason)}`
  return new PluginError(plugin, problem, { word: wordIn(reason) })
}

function bad(type: string, member: string, expected: string, got: unknown, plugin: string): PluginError {
  const given = isObject(got) ? 'another object' : kindOf(got)
  return new PluginError(plugin, `yielded an event "${type}" with a bad \`${member}\`: expected ${expected}, got ${given}`)
}

/** The value, if it looks like the name of something. */
function wordIn(value: unknown): string | undefined {
  return typeof value === 'string' && /^[a-z][a-z0-9_.-]{0,40}$/i.test(value) ? value : undefined
}
