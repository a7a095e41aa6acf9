import { Failover, failoverDependencies } from '../call/attempts/failover.ts'
import type { Attempt } from '../call/attempts/attempt.ts'
import type { Lane } from '../call/attempts/lane.ts'
import { SendingRulesIndex } from '../call/attempts/sending-rules.ts'
import { Uncovered } from '../call/attempts/work.ts'
import type { LiveAnswer } from '../call/live-answer.ts'
import type { PassedOver } from '../contracts/log-sink.ts'
import type { Credential, ProviderFailure } from '../contracts/provider.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import type { RetrievalRequest } from '../contracts/retrieval.ts'
import { GatewayError } from '../foundation/errors.ts'
import { wire, type Dependencies } from '../framework/container.ts'
import { Providers } from '../framework/extension-points.ts'
import type { Operation } from '../call/operation.ts'
import type { Reservation } from '../limits/reservation.ts'
import type { Candidate } from '../routing/plan.ts'
import { passOver } from '../routing/routing-record.ts'
import { AnswerFeed } from '../runtime/answer-feed.ts'
import { costOf } from '../billing/cost.ts'
import type { KindOfRetrieval, RetrievalReply } from './kind.ts'
import { countedUsage } from './usage.ts'

const dependencies = { ...failoverDependencies, providers: Providers, rules: SendingRulesIndex }

/** The most requests of one batch that are under way at once. */
const maxAtOnce = 4

/** The common parts of all attempts at one request. */
export interface RetrievalTask<Request extends RetrievalRequest, Reply extends RetrievalReply> {
  readonly kind: KindOfRetrieval<Request, Reply>
  /** The request for an endpoint, which may not take lists of tokens. */
  requestFor(candidate: Candidate): Promise<Request>
  readonly operation: Operation
  readonly surroundings: Pick<RequestScope, 'cancellation' | 'record'>
  readonly reservation: Reservation | undefined
  readonly memory: LiveAnswer
}

export interface AnsweredRetrieval<Reply> {
  readonly reply: Reply
  /** One for each request to the vendor, which bills them one by one. */
  readonly replies: readonly RetrievalReply[]
  readonly candidate: Candidate
}

/** The replies of one endpoint so far. An attempt that is repeated there asks only for the rest. */
interface Progress<Request, Reply> {
  readonly parts: readonly Request[]
  readonly replies: (Reply | undefined)[]
  /** The bytes of each reply. */
  readonly heldBytes: number[]
}

/** Asks endpoints until one answers. */
export class RetrievalAttempts {
  readonly #failover: Failover
  readonly #rules: SendingRulesIndex

  static {
    wire(this, dependencies)
  }

  constructor({ providers, rules, ...services }: Dependencies<typeof dependencies>) {
    this.#rules = rules
    this.#failover = new Failover({ ...services, operation: 'generation', plugins: providers })
  }

  /** Throws the public error of the last failure when no candidate is left. */
  async first<Request extends RetrievalRequest, Reply extends RetrievalReply>(
    candidates: readonly Candidate[],
    task: RetrievalTask<Request, Reply>,
  ): Promise<AnsweredRetrieval<Reply>> {
    const { operation, surroundings, reservation } = task
    const begun = new Map<Candidate, Progress<Request, Reply>>()
    let answered: AnsweredRetrieval<Reply> | undefined
    try {
      answered = await this.#failover.first(candidates, operation.context, surroundings.cancellation, {
        attempt: (candidate, credential, lane) => this.#try(candidate, credential, lane, task, begun),
        passedOver: ({ endpoint }: Candidate, why: PassedOver) => passOver(surroundings.record, endpoint, why),
      })
      return answered
    } finally {
      // Vendors bill what they answered, even if the rest of the batch came from elsewhere.
      for (const [{ endpoint }, { replies }] of begun) {
        if (endpoint === answered?.candidate.endpoint) continue
        for (const reply of replies) {
          const usage = reply && countedUsage(reply)
          if (!usage) continue
          surroundings.record.lostUsd += costOf(usage, endpoint.price) ?? 0
          reservation?.attemptFailed(endpoint, usage, false)
        }
      }
    }
  }

  async #try<Request extends RetrievalRequest, Reply extends RetrievalReply>(
    candidate: Candidate,
    credential: Credential | undefined,
    lane: Lane,
    task: RetrievalTask<Request, Reply>,
    begun: Map<Candidate, Progress<Request, Reply>>,
  ): Promise<AnsweredRetrieval<Reply> | ProviderFailure | Uncovered> {
    const { endpoint, provider } = candidate
    const { operation, reservation, memory, surroundings } = task
    try {
      await reservation?.cover(endpoint, false)
    } catch (error) {
      if (error instanceof GatewayError && error.status === 402) return new Uncovered(error)
      throw error
    }
    const progress = begun.get(candidate) ?? (await begin(candidate, task))
    begun.set(candidate, progress)
    memory.restart()
    const { timeouts } = this.#rules.of(provider)
    const parts = { candidate, credential, totalMs: timeouts.totalMs, lane, record: surroundings.record }
    const run = async (attempt: Attempt<Reply>): Promise<AnsweredRetrieval<Reply>> => {
      const asking = new Asking(progress, candidate, credential, attempt, task)
      attempt.begin(new AnswerFeed(() => asking.all()))
      const reply = (await attempt.inbox.next())!
      attempt.end('ok', countedUsage(reply))
      return { reply, replies: progress.replies as readonly Reply[], candidate }
    }
    return await this.#failover.attempt(parts, operation.context, { reservation, run })
  }
}

async function begin<Request extends RetrievalRequest, Reply extends RetrievalReply>(
  candidate: Candidate,
  { kind, requestFor }: RetrievalTask<Request, Reply>,
): Promise<Progress<Request, Reply>> {
  const parts = kind.parts(await requestFor(candidate), candidate.provider, candidate.endpoint)
  return { parts, replies: parts.map(() => undefined), heldBytes: parts.map(() => 0) }
}

/** The requests of one attempt, a few at a time. */
class Asking<Request extends RetrievalRequest, Reply extends RetrievalReply> {
  readonly #progress: Progress<Request, Reply>
  readonly #candidate: Candidate
  readonly #credentialId: string | undefined
  readonly #task: RetrievalTask<Request, Reply>
  readonly #stopping = new AbortController()
  readonly #signal: AbortSignal
  readonly #traceparent: string | undefined
  #next = 0

  constructor(
    progress: Progress<Request, Reply>,
    candidate: Candidate,
    credential: Credential | undefined,
    { signal, traceparent }: Pick<Attempt<Reply>, 'signal' | 'traceparent'>,
    task: RetrievalTask<Request, Reply>,
  ) {
    this.#progress = progress
    this.#candidate = candidate
    this.#credentialId = credential?.id
    this.#task = task
    this.#traceparent = traceparent
    this.#signal = progress.parts.length > 1 ? AbortSignal.any([signal, this.#stopping.signal]) : signal
  }

  async all(): Promise<Reply> {
    const { parts, replies } = this.#progress
    const atOnce = this.#candidate.provider.maxConcurrent === undefined ? maxAtOnce : 1
    const lanes = Array.from({ length: Math.min(atOnce, parts.length) }, () => this.#lane())
    try {
      await Promise.all(lanes)
    } catch (error) {
      this.#stopping.abort(error)
      await Promise.allSettled(lanes)
      throw error
    }
    return parts.length === 1 ? replies[0]! : this.#task.kind.joined(replies as readonly Reply[])
  }

  async #lane(): Promise<void> {
    const { parts, replies } = this.#progress
    const { kind, operation } = this.#task
    const { endpoint, provider } = this.#candidate
    for (let index = this.#next++; index < parts.length; index = this.#next++) {
      if (replies[index] || this.#signal.aborted) continue
      const request = Object.freeze(parts[index]!)
      const reply = await kind.ask(provider, {
        request,
        endpoint,
        credentialId: this.#credentialId,
        signal: this.#signal,
        context: operation.context,
        traceparent: this.#traceparent,
        holds: bytes => this.#holds(index, bytes),
      })
      const checked = kind.checked(reply, request, provider.id)
      const packed = await kind.packed?.(checked, parts)
      replies[index] = packed?.reply ?? checked
      if (packed) this.#holds(index, packed.bytes)
    }
  }

  #holds(index: number, bytes: number): void {
    const { heldBytes } = this.#progress
    heldBytes[index] = bytes
    this.#task.memory.hold(heldBytes.reduce((sum, each) => sum + each, 0))
  }
}
