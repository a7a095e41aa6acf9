import { costOf } from '../../billing/cost.ts'
import { MetricStore } from '../../contracts/metric-store.ts'
import { ProviderFailure, type Credential } from '../../contracts/provider.ts'
import type { RunContext } from '../../contracts/run-context.ts'
import type { Cancellation } from '../../runtime/cancellation.ts'
import { Clock } from '../../foundation/clock.ts'
import { GatewayError } from '../../foundation/errors.ts'
import { own, wording } from '../../foundation/wording.ts'
import { isPending, type Maybe } from '../../runtime/pending.ts'
import { Masks } from '../../foundation/masks.ts'
import type { Dependencies } from '../../framework/container.ts'
import { Settings } from '../../framework/settings.ts'
import { Attempt, type AttemptParts } from './attempt.ts'
import { Backoff, retryDelayMs } from './backoff.ts'
import type { Contender } from './contender.ts'
import { Credentials, type CredentialUse } from './credentials.ts'
import { EndpointCircuits } from './endpoint-circuits.ts'
import { concernOf, isTransient, mayBeOfProvider, failurePolicyOf } from './failure-policy.ts'
import { Failures } from './failures.ts'
import { Lane } from './lane.ts'
import { Line } from './line.ts'
import type { ProviderQueue, Slot } from './provider-queue.ts'
import { ProviderQueues } from './provider-queues.ts'
import { race } from './race.ts'
import { Uncovered, type AttemptWork, type Credentialed, type Work } from './work.ts'
import { recentValues } from '../../runtime/recent-values.ts'

export const failoverDependencies = {
  credentials: Credentials,
  circuits: EndpointCircuits,
  queues: ProviderQueues,
  masks: Masks.token,
  settings: Settings,
  backoff: Backoff,
  clock: Clock,
  metrics: MetricStore,
}

export interface FailoverParts extends Dependencies<typeof failoverDependencies> {
  readonly operation: 'generation' | 'decision'
  /** Names the plugin behind a provider, for the log. */
  readonly plugins: { pluginOf(provider: string): string | undefined }
}

/** After failed retries, an endpoint is asked only once per request for this long. */
const noRetriesForMs = 30_000

/** Tries contenders in order, each with its credentials, until one answers. */
export class Failover {
  readonly failures: Failures
  readonly #parts: FailoverParts
  /** The time of an endpoint's last failed retries. Clients retry too: without this, an outage would multiply their requests by ours. */
  readonly #inVain = recentValues<string, number>(10_000)

  constructor(parts: FailoverParts) {
    this.#parts = parts
    this.failures = new Failures(parts)
  }

  /** The result of the first attempt that succeeds. Throws the public error of the last failure when none is left, or 503 if all are busy. */
  first<C extends Contender, R extends object>(
    contenders: readonly C[],
    context: RunContext,
    run: Cancellation,
    work: Work<C, R>,
  ): Promise<R> {
    const { circuits, settings, backoff } = this.#parts
    const { credentials } = this.#parts
    const isRefused = (contender: C): boolean => credentials.areRefused(useOf(contender, context))
    const line = new Line(contenders, { circuits, isRefused, owner: context.caller.owner }, work.maxAttempts ?? settings.maxAttempts)
    const { hedgeAfterMs } = work
    if (hedgeAfterMs === undefined || contenders.length === 1) return this.#go(line, new Lane('only', run, line), context, work)
    return race(line, run, hedgeAfterMs, backoff, lane => this.#go(line, lane, context, work))
  }

  async #go<C extends Contender, R extends object>(line: Line<C>, lane: Lane, context: RunContext, work: Work<C, R>): Promise<R> {
    const { backoff, clock } = this.#parts
    const isHedge = lane.role === 'hedge'
    for (let contender = line.take(isHedge); contender; contender = line.take(isHedge)) {
      let tries: Credentialed | undefined
      let repeats = 0
      let failure: ProviderFailure | undefined
      for (let turn = 0; line.attemptsLeft > 0;) {
        if (contender.provider.maxConcurrent !== undefined && !(await this.#enter(contender, lane, context, work))) break
        line.attemptsLeft--
        // While the request waited, a credential may have failed.
        tries ??= this.#credentialsFor(contender, context, work)
        const credential = tries[turn % tries.length]
        const result = await (lane.slot
          ? releasing(lane.slot, work, contender, credential, lane)
          : work.attempt(contender, credential, lane))
        if (result instanceof Uncovered) {
          this.#leave(contender, result, lane, context)
          work.passedOver?.(contender, 'credit')
          break
        }
        if (!ProviderFailure.is(result)) {
          if (this.#inVain.size > 0) this.#inVain.delete(nameOf(contender))
          this.#parts.credentials.accepted(useOf(contender, context), credential)
          for (const { contender: other, why } of line.close()) work.passedOver?.(other, why)
          return result
        }
        failure = result
        this.#heed(result, contender, credential, context, lane)
        const { retry } = failurePolicyOf(result)
        if (retry === 'never') {
          lane.isRefused = true
          throw line.failure?.()
        }
        if (retry === 'credential' && ++turn < tries.length && line.mayTryNext(contender)) continue
        const mayRepeat = tries.length === 1 && !line.hasFailed(contender)
        const waitMs = this.#waitMs(result, contender, mayRepeat, lane, repeats)
        if (waitMs === undefined) break
        if (waitMs > 0) {
          const since = clock.elapsed()
          await backoff.sleep(waitMs, lane.run.signal)
          lane.waitedMs += clock.elapsed() - since
        }
        repeats++
      }
      if (failure && mayBeOfProvider(failure)) line.modelUnknown(contender)
      else if (failure && (concernOf(failure) || failurePolicyOf(failure).retry === 'credential')) line.providerFailed(contender)
      if (repeats > 0) this.#inVain.set(nameOf(contender), this.#parts.clock.now())
    }
    if (line.attemptsLeft === 0) for (const { contender, why } of line.cut()) work.passedOver?.(contender, why)
    throw line.failure?.()
  }

  #credentialsFor<C extends Contender>(contender: C, context: RunContext, work: Work<C, unknown>): Credentialed {
    const inTurn = this.#parts.credentials.inTurn(useOf(contender, context))
    return work.sorted?.(inTurn, contender) ?? inTurn
  }

  /** Earlier failures, not the credit that they used up, are why there is no answer. Throws the 402 if nothing failed. */
  #leave({ endpoint }: Contender, { error }: Uncovered, { line, slot }: Lane, { caller }: RunContext): void {
    slot?.release()
    if (!line.failure) throw error
    line.attemptsLeft++
    this.#parts.circuits.abandoned(endpoint, caller.owner)
  }

  /** Waits for the provider to have a place. False if another contender must be asked first. A hedge does not wait at all. */
  async #enter<C extends Contender>(contender: C, lane: Lane, { caller }: RunContext, work: Work<C, unknown>): Promise<boolean> {
    const { queues, circuits, clock } = this.#parts
    const { provider, endpoint } = contender
    const { line, role, run } = lane
    const queue = queues.of(provider)
    const entering = queue.enter(caller.owner, run, role !== 'hedge')
    const since = isPending(entering) ? clock.elapsed() : undefined
    const slot = await entering
    if (since !== undefined) lane.queuedMs += clock.elapsed() - since
    lane.slot = slot
    if (slot) {
      // While the request waited, the endpoint may have failed too often.
      if (!isPending(entering) || !circuits.isResting(endpoint, caller.owner) || !line.canPutOff(contender)) return true
      slot.release()
      lane.slot = undefined
      line.putOff(contender, 'circuit')
      return false
    }
    if (role === 'hedge') line.putOff(contender, 'queue')
    else {
      line.failure = () => busy(provider.id, queue)
      work.passedOver?.(contender, 'queue')
    }
    circuits.abandoned(endpoint, caller.owner)
    return false
  }

  #heed(failure: ProviderFailure, contender: Contender, credential: Credential | undefined, context: RunContext, { line }: Lane): void {
    const { kind, status } = failure
    line.failure = () => this.failures.publicError(failure, contender)
    this.#rest(contender, credential, failure, context)
    context.log.warn('an attempt failed', {
      request: context.id,
      provider: contender.provider.id,
      kind,
      status,
      ...this.failures.bugIn(failure, contender, context),
    })
  }

  /** Honors the failure's wait: the credential rests, or the whole endpoint if no other credential is left. */
  #rest(contender: Contender, credential: Credential | undefined, failure: ProviderFailure, context: RunContext): void {
    const { credentials, circuits } = this.#parts
    const { endpoint } = contender
    const restMs = credentials.failed(useOf(contender, context), credential, failure)
    const pauseMs = isTransient(failure) ? failure.retryAfterMs : undefined
    if (restMs > 0 || pauseMs) circuits.rest(endpoint, Math.max(restMs, pauseMs ?? 0))
  }

  /** How long to wait before asking the same contender again; undefined: do not ask it again. */
  #waitMs(failure: ProviderFailure, contender: Contender, mayRepeat: boolean, { line, role }: Lane, repeats: number): number | undefined {
    const { backoff, clock, settings } = this.#parts
    if (line.attemptsLeft === 0 || role === 'hedge') return undefined
    if (line.attemptsLeft === 1 && line.hasOther(contender)) return undefined
    const inVainAt = this.#inVain.get(nameOf(contender))
    if (inVainAt !== undefined && clock.now() - inVainAt < noRetriesForMs) return undefined
    if (failurePolicyOf(failure).repeatAtOnce && mayRepeat && repeats === 0) return 0
    if (!line.isEmpty || !isTransient(failure) || repeats >= settings.retries) return undefined
    return retryDelayMs(repeats, failure.retryAfterMs, backoff.random())
  }

  /** Runs one attempt. Returns its failure, after recording it and charging it to the reservation; throws when the run itself is over. */
  attempt<E extends object, C extends Contender, R extends object>(
    parts: AttemptParts<C>,
    context: RunContext,
    work: AttemptWork<E, C, R>,
  ): Maybe<R | ProviderFailure> {
    const { lane } = parts
    if (lane.run.aborted) throw lane.run.reason
    const attempt = new Attempt<E, C>(parts, this.#parts, context.caller.owner)
    lane.tries(attempt, work)
    const failed = (error: unknown): ProviderFailure => this.#failed(error, attempt, parts, context, work)
    try {
      const running = work.run(attempt)
      return isPending(running) ? running.then(undefined, failed) : running
    } catch (error) {
      return failed(error)
    }
  }

  #failed<E extends object, C extends Contender>(
    error: unknown,
    attempt: Attempt<E, C>,
    { candidate, lane, record }: AttemptParts<C>,
    context: RunContext,
    work: AttemptWork<E, C, object>,
  ): ProviderFailure {
    const { run, isRacing } = lane
    const usage = isRacing ? undefined : work.usageOf?.(attempt)
    const isLost = usage !== undefined
    let failure: ProviderFailure | undefined
    try {
      if (run.aborted) {
        const overdue = isTimeUp(run.reason) ? attempt.overdue(this.#parts.settings.runTimeoutMs / 2) : undefined
        if (overdue) attempt.end(overdue)
        throw run.reason
      }
      failure = this.failures.failureOf(error, candidate, context)
      attempt.end(failure, usage, isLost)
      return failure
    } finally {
      attempt.end('left', usage, isLost)
      if (usage) record.lostUsd += costOf(usage, candidate.endpoint.price) ?? 0
      const mayBeBilled = failure !== undefined && failurePolicyOf(failure).mayBeBilled === true && failure.progress !== 'none'
      if (!isRacing) work.reservation?.attemptFailed(candidate.endpoint, usage, mayBeBilled)
    }
  }
}

/** One name for all models that no catalog lists, because callers can make them up. */
function nameOf({ endpoint: { provider, model, listed } }: Contender): string {
  return listed ? `${provider}/${model}` : provider
}

function useOf({ provider, endpoint }: Contender, { caller }: RunContext): CredentialUse {
  return { provider, model: endpoint.model, owner: caller.owner }
}

/** True if an operation took longer than it may. */
function isTimeUp(reason: unknown): boolean {
  return reason instanceof GatewayError && reason.code === 'provider_timeout'
}

/** Every place at the provider is taken, and so is every place in its queue. */
function busy(provider: string, { maxConcurrent, maxQueued, retryAfterMs }: ProviderQueue): GatewayError {
  const seconds = Math.ceil(retryAfterMs / 1000)
  const isFull = wording`The provider "${own(provider)}" is busy: ${own(maxConcurrent)} requests are under way, and ${own(maxQueued)} wait.`
  return new GatewayError({
    status: 503,
    type: 'server_error',
    code: 'server_error',
    message: wording`${isFull} Please try again in ${own(seconds)}s.`,
    reason: { kind: 'overload' },
    retryAfterMs,
    transient: true,
  })
}

/** Gives the place back if the attempt could not even begin. */
async function releasing<C extends Contender, R>(
  slot: Slot,
  work: Work<C, R>,
  contender: C,
  credential: Credential | undefined,
  lane: Lane,
): Promise<R | ProviderFailure | Uncovered> {
  try {
    return await work.attempt(contender, credential, lane)
  } catch (error) {
    slot.release()
    throw error
  }
}
