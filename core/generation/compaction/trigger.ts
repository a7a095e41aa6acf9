import type { Item } from '../../contracts/items.ts'
import type { GenerationRequest } from '../../contracts/request.ts'
import { invalidRequest, type GatewayError } from '../../foundation/errors.ts'
import { wording } from '../../foundation/wording.ts'

// `compaction_trigger`: an item that asks for a compaction in place of an answer.

/** The same list if it has none. Throws a 400 if something follows the trigger. */
export function withoutTrigger(input: readonly Item[]): readonly Item[] {
  const index = input.findIndex(({ type }) => type === 'compaction_trigger')
  if (index < 0) return input
  if (index < input.length - 1)
    throw invalidRequest(wording`compaction_trigger must be the last item. Leave out what follows it.`, `input[${index}]`)
  return input.slice(0, index)
}

/** The request for a vendor that compacts. */
export function ending(request: GenerationRequest, trigger: Item): GenerationRequest {
  return { ...request, input: [...request.input, trigger] }
}

export function nothingToCompact(): GatewayError {
  return invalidRequest(wording`There is no conversation to compact. Send it as input, or name a stored response that ends it.`, 'input')
}
