import type { Endpoint } from '../contracts/catalog.ts'
import type { CompactionItem } from '../contracts/items.ts'
import type { Provider } from '../contracts/provider.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { Caller } from '../contracts/run-context.ts'
import type { Sealer } from '../contracts/sealer.ts'
import { invalidRequest } from '../foundation/errors.ts'
import { wording } from '../foundation/wording.ts'
import { holderOfState } from './state.ts'

/** Core decrypts by trial. Callers choose how much. */
const maxTrials = 256
const maxTriedCharacters = 16_000_000

/** The newest compaction of a vendor. Those of the gateway have become text before a plan is made. */
export function compactionOf({ input }: Pick<GenerationRequest, 'input'>): CompactionItem | undefined {
  for (let index = input.length - 1; index >= 0; index--) if (input[index]!.type === 'compaction') return input[index] as CompactionItem
  return undefined
}

/**
 * The endpoints that can read a vendor's compaction: those of the model that made it, at its provider and with its account. Without it, they
 * would lack all that was said before, so throws a 400 if there are none.
 */
export function holdersOf(
  sealer: Sealer,
  compaction: CompactionItem,
  endpoints: readonly Endpoint[],
  accountsAt: (provider: string) => readonly (string | undefined)[],
  { key: { org } }: Pick<Caller, 'key'>,
): readonly Endpoint[] {
  let trials = Math.min(maxTrials, Math.ceil(maxTriedCharacters / (compaction.encrypted_content.length + 1)))
  const holders = endpoints.filter(({ provider, model }) => {
    const bindings = accountsAt(provider)
      .slice(0, Math.max(0, trials))
      .map(account => ({ org, provider, account, model }))
    trials -= bindings.length
    return holderOfState(sealer, compaction, bindings) >= 0
  })
  if (holders.length > 0) return holders
  const names = endpoints.slice(0, 3).map(({ provider, model }) => `${provider}/${model}`)
  throw invalidRequest(
    wording`The input has a compaction that only the model and the account can read that made it, and this request does not go there, but to ${names.join(', ')}. Name the model that made it, or send the conversation itself.`,
    'input',
  )
}

export function accountsOf(provider: Pick<Provider, 'credentials'> | undefined): readonly (string | undefined)[] {
  const { credentials = [] } = provider ?? {}
  return credentials.length === 0 ? [undefined] : credentials.map(({ account }) => account)
}
