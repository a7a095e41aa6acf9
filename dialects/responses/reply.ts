import { ProviderFailure } from '../../core/index.ts'
import type { Emit } from '../../core/kit.ts'
import { failureInside } from './failure.ts'
import { OutputItems } from './output-items.ts'
import { conclude } from './terminal.ts'
import { object, text } from './wire.ts'

/** A reply that did not stream. Emits the events of its stream, each part in one piece. */
export function replyEvents(body: unknown, emit: Emit, hasOwnTools = false): void {
  const response = object(body)
  if (response?.error && !response.output) throw failureInside(response.error, JSON.stringify(body))
  if (!response || !Array.isArray(response.output))
    throw new ProviderFailure({
      kind: 'protocol',
      message: 'The provider sent a reply that is not a response.',
      upstream: JSON.stringify(body),
    })
  const model = text(response.model)
  if (model) emit({ type: 'model', model })
  conclude(response, undefined, new OutputItems(emit, hasOwnTools))
}
