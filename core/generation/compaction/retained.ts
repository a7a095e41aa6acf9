import type { Item, MessageItem } from '../../contracts/items.ts'
import { GatewayError } from '../../foundation/errors.ts'
import { own, wording } from '../../foundation/wording.ts'
import type { Endpoint } from '../../contracts/catalog.ts'
import type { Prepared } from '../preparation.ts'
import { charactersPerToken } from './message-text.ts'
import { keptMessages } from './outline.ts'

/** Beside a vendor's compaction. */
const maxRetainedTokens = 64_000

/** The messages of the user that the caller goes on with, beside a compaction of all of the conversation. */
export function retainedMessages({ compaction, extended }: Pick<Prepared, 'compaction' | 'extended'>): readonly MessageItem[] {
  const kept = compaction?.outline.kept ?? keptMessages(extended.input, maxRetainedTokens * charactersPerToken)
  return kept.map(({ item }) => item)
}

/** Throws for an answer to a `compaction_trigger` that has no compaction. */
export function checkCompaction(answer: readonly Item[], { provider, model }: Endpoint): void {
  if (answer.some(({ type }) => type === 'compaction')) return
  throw new GatewayError({
    status: 424,
    type: 'provider_error',
    code: 'provider_error',
    message: wording`"${model}" at "${own(provider)}" was asked for a compaction, and answered without one. If it cannot compact, say so in the catalog (contextManagement: false): the gateway then does it.`,
  })
}
