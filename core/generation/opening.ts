import type { Attempt } from '../call/attempts/attempt.ts'
import type { AttemptWork } from '../call/attempts/failover.ts'
import type { Line } from '../call/attempts/line.ts'
import { StreamPace } from '../call/attempts/stream-pace.ts'
import type { Reservation } from '../limits/reservation.ts'
import { noUsage, type GenerationEvent, type TokenUsage } from '../contracts/events.ts'
import type { SlowStream, Yielded } from '../contracts/provider.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RunContext } from '../contracts/run-context.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { LiveAnswer } from '../call/live-answer.ts'
import type { Candidate } from '../routing/plan.ts'
import { estimateInput } from '../tokens/estimate.ts'
import { cutShort } from '../upstream/provider-failures.ts'
import { billableUsage, withinLimit } from './billable-usage.ts'
import { checkEvent } from './check-event.ts'
import { checkReply } from './check-reply.ts'
import type { Raised } from './lowering/draft.ts'
import type { Lowered } from './lowering/lowering.ts'
import { payFor, type PaidEvent } from './paid-event.ts'
import { isAnswering, type RaisedEvent } from './raised-event.ts'

/** What one try at a candidate needs. */
export interface OpeningParts {
  /** As the gateway got it. */
  readonly request: GenerationRequest
  readonly lowered: Lowered
  readonly context: RunContext
  readonly answer: LiveAnswer
  readonly reservation: Reservation | undefined
  /** For a streamed reply. */
  readonly slowStream: SlowStream | undefined
  /** Who else could be asked instead of a slow stream. */
  readonly line: Pick<Line, 'isEmpty'>
  /** Names the plugin of the provider. */
  readonly pluginOf: () => string
}

/** One try at a candidate: asks its provider, and reads the reply up to the first semantic event. */
export class Opening implements AttemptWork<RaisedEvent, Candidate, Attempt<RaisedEvent>> {
  readonly #parts: OpeningParts
  #first: RaisedEvent | undefined

  constructor(parts: OpeningParts) {
    this.#parts = parts
  }

  get reservation(): Reservation | undefined {
    return this.#parts.reservation
  }

  /** At once if the provider has answered already. */
  run(attempt: Attempt<RaisedEvent>): Maybe<Attempt<RaisedEvent>> {
    this.#ask(attempt)
    const reading = attempt.flow(event => this.#read(event, attempt))
    return reading ? reading.then(() => this.#opened(attempt)) : this.#opened(attempt)
  }

  /** Vendors may bill attempts that failed, too. */
  usageOf({ head, candidate, outputLimit }: Attempt<RaisedEvent>): TokenUsage | undefined {
    const last = head.findLast(event => event.type === 'usage')
    const usage = last && billableUsage(last.usage, this.#parts.context, candidate.provider.id, this.#parts)
    return usage && withinLimit(usage, outputLimit)
  }

  lossOf(attempt: Attempt<RaisedEvent>): TokenUsage {
    return this.usageOf(attempt) ?? { ...noUsage, uncachedInput: estimateInput(this.#parts.request), estimated: true }
  }

  #ask(attempt: Attempt<RaisedEvent>): void {
    const { lowered, context, answer, pluginOf } = this.#parts
    if (lowered.mistake) throw lowered.mistake
    const { provider, endpoint } = attempt.candidate
    const events = provider.generate({
      request: lowered.request,
      endpoint,
      credentialId: attempt.credential?.id,
      signal: attempt.signal,
      context,
      clock: attempt,
      holds: bytes => answer.hold(bytes),
    })
    checkReply(events, provider.id, pluginOf)
    const count = (event: RaisedEvent): void => {
      checkEvent(event, pluginOf)
      if (event.type !== 'suppressed-call') answer.count(event)
    }
    if (lowered.raises.length === 0) attempt.begin(events, count)
    else attempt.begin(lowered.raises.reduce<AsyncIterable<Raised>>((below, raise) => raise(below, attempt), counted(events, count)))
  }

  /** False at the first semantic event. */
  #read(event: RaisedEvent, attempt: Attempt<RaisedEvent>): boolean {
    if (event.type === 'warning') attempt.warnings.push({ param: event.param, message: event.message })
    else attempt.head.push(event)
    if (!isAnswering(event)) return true
    attempt.commit()
    this.#first = event
    return false
  }

  #opened(attempt: Attempt<RaisedEvent>): Maybe<Attempt<RaisedEvent>> {
    const { slowStream, line, request, context } = this.#parts
    if (!this.#first) throw cutShort(attempt.candidate.provider.id)
    if (attempt.isStreamed && !request.stream) return untilLeft(wholeOf(attempt, this.#first), attempt, context)
    return slowStream && !line.isEmpty ? atPace(attempt, this.#first, slowStream) : attempt
  }
}

/** Waits until the stream is as fast as it should be. Throws a time-out if it is not. */
async function atPace(attempt: Attempt<RaisedEvent>, first: RaisedEvent, slowStream: SlowStream): Promise<Attempt<RaisedEvent>> {
  const pace = new StreamPace(slowStream, attempt)
  try {
    for (let event = first; !pace.isEnough(event);) {
      const next = attempt.take() ?? (await attempt.next())
      if (!next) throw cutShort(attempt.candidate.provider.id)
      attempt.head.push((event = next))
    }
    return attempt
  } finally {
    pace.stop()
  }
}

/** Reads the stream for a plain reply to its end. If it breaks off, another candidate can still be asked. */
async function wholeOf(attempt: Attempt<RaisedEvent>, first: RaisedEvent): Promise<Attempt<RaisedEvent>> {
  const { allowance } = attempt
  attempt.head.pop()
  for (let event: RaisedEvent | undefined = first; ; event = attempt.take() ?? (await attempt.next())) {
    if (!event) throw cutShort(attempt.candidate.provider.id)
    for (let unpaid: RaisedEvent | undefined = event; unpaid;) {
      const { paid, rest }: PaidEvent = allowance ? payFor(unpaid, allowance) : { paid: unpaid }
      if (paid) attempt.head.push(paid)
      unpaid = rest
      if (!rest || (await attempt.pauseFor(allowance!.more(rest.text)))) continue
      attempt.isCut = true
      attempt.head.push({ type: 'finish', reason: 'length' })
      return attempt
    }
    if (event.type === 'finish') return attempt
  }
}

/** If the caller leaves, or the gateway ends, the reply is what came by then: it is charged as a stream that is left. */
async function untilLeft(
  reading: Promise<Attempt<RaisedEvent>>,
  attempt: Attempt<RaisedEvent>,
  context: RunContext,
): Promise<Attempt<RaisedEvent>> {
  try {
    return await reading
  } catch (error) {
    if (context.signal.aborted) return attempt
    throw error
  }
}

/** Counts events before raises, because some raises hold events back. */
async function* counted(events: AsyncIterable<Yielded>, count: (event: GenerationEvent) => void): AsyncGenerator<Yielded> {
  for await (const yielded of events) {
    if ('type' in yielded) count(yielded)
    else for (const event of yielded) count(event)
    yield yielded
  }
}
