import type { Attempt } from '../call/attempts/attempt.ts'
import type { ReplyMemory } from '../call/live-answer.ts'
import type { GenerationEvent } from '../contracts/events.ts'
import type { Provider, Yielded } from '../contracts/provider.ts'
import type { RunContext } from '../contracts/run-context.ts'
import type { Registry } from '../framework/registry.ts'
import { checkEvent } from './check-event.ts'
import { checkReply } from './check-reply.ts'
import { ExpectedChoices } from './expected-choices.ts'
import type { Raised } from './lowering/draft.ts'
import type { Lowered } from './lowering/lowering.ts'
import { raiseChoices } from './raise-choices.ts'
import type { RaisedEvent } from './raised-event.ts'

export interface ProviderQuestion {
  readonly lowered: Lowered
  readonly context: RunContext
  /** Counts the memory of the reply. */
  readonly memory: ReplyMemory
  /** Names the plugin of a provider. */
  readonly providers: Pick<Registry<Provider>, 'pluginOf'>
}

/** Asks the attempt's provider. Its events arrive in the attempt's inbox, checked, counted and raised. */
export function askProvider({ lowered, context, memory, providers }: ProviderQuestion, attempt: Attempt<RaisedEvent>): void {
  if (lowered.mistake) throw lowered.mistake
  const { provider, endpoint } = attempt.candidate
  const events = provider.generate({
    request: lowered.request,
    endpoint,
    credentialId: attempt.credential?.id,
    signal: attempt.signal,
    context,
    traceparent: attempt.traceparent,
    clock: attempt,
    holds: bytes => memory.hold(bytes),
    withholds: texts => void (attempt.withheld = texts),
  })
  const pluginOf = (): string => providers.pluginOf(provider.id) ?? provider.id
  checkReply(events, provider.id, pluginOf)
  const { choices } = lowered.request
  const expected = choices === undefined ? undefined : new ExpectedChoices(choices, `The provider "${provider.id}"`)
  const count = (event: RaisedEvent): void => {
    checkEvent(event, pluginOf, expected)
    if (event.type !== 'suppressed-call') memory.count(event)
  }
  if (lowered.raises.length === 0) attempt.begin(events, count)
  else attempt.begin(raised(counted(events, count), lowered, attempt))
}

function raised(events: AsyncIterable<Raised>, { raises, request }: Lowered, attempt: Attempt<RaisedEvent>): AsyncIterable<Raised> {
  const raiseAll = (answer: AsyncIterable<Raised>): AsyncIterable<Raised> =>
    raises.reduce<AsyncIterable<Raised>>((below, raise) => raise(below, attempt), answer)
  return request.choices === undefined ? raiseAll(events) : raiseChoices(events, raiseAll)
}

/** Counts events before raises, because some raises hold events back. */
async function* counted(events: AsyncIterable<Yielded>, count: (event: GenerationEvent) => void): AsyncGenerator<Yielded> {
  for await (const yielded of events) {
    if ('type' in yielded) count(yielded)
    else for (const event of yielded) count(event)
    yield yielded
  }
}
