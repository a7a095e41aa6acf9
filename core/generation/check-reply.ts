import { PluginError } from '../foundation/errors.ts'
import { isPending } from '../runtime/pending.ts'
import { show } from '../framework/shape.ts'

/** Checks the result of a provider's `generate`. Throws a `PluginError` if it cannot be iterated. */
export function checkReply(events: unknown, provider: string, pluginOf: () => string): void {
  if (typeof (events as Partial<AsyncIterable<unknown>> | null | undefined)?.[Symbol.asyncIterator] === 'function') return
  const got = isPending(events)
    ? 'a promise (write `async *generate`)'
    : Array.isArray(events)
      ? 'an array'
      : typeof events === 'string'
        ? 'a string'
        : show(events)
  throw new PluginError(
    pluginOf(),
    `returned from generate of provider "${provider}" what is no async iterable: expected one, such as an async generator, got ${got}`,
  )
}
