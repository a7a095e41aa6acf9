import type { CallKind, ClosedRequest, EndedAttempt, EndedTool, GuardLook } from '../../../core/kit.ts'
import { durationBounds, operationOf, tokenBounds, type Conventions } from './conventions.ts'
import { Counter, Histogram, type Count, type Distribution, type Labels } from './instrument.ts'
import { names } from './names.ts'
import { providerName } from './provider-names.ts'
import { nameSpan, spanAttributes, spanKinds } from './span.ts'
import { inputOf } from './tokens.ts'
import { Writer } from './wire/writer.ts'

/** Beyond so many, all other endpoints are measured as one of each provider. */
const maxEndpoints = 1_000

/** Everything that is counted, added up since the start. */
export class Meters {
  readonly #conventions: Conventions
  readonly #startedAt: number
  readonly #instruments = new Map<string, Counter | Histogram>()
  /** By kind of call, provider and model. */
  readonly #endpoints = new Map<CallKind, Map<string, Map<string | null, EndpointMeters>>>()
  #endpointCount = 0
  readonly #successes = new Map<string | null, Map<CallKind | null, Successes>>()
  readonly #requests: Histogram
  readonly #firstEvents: Histogram
  readonly #cost: Counter
  readonly #looks: Counter
  readonly #dropped: Counter

  constructor(conventions: Conventions, startedAt: number) {
    this.#conventions = conventions
    this.#startedAt = startedAt
    this.#requests = this.histogram('turnpike.request.duration', 's', 'How long requests took.', durationBounds)
    const first = 'How long requests took to the first event of their answer.'
    this.#firstEvents = this.histogram('turnpike.request.time_to_first_event', 's', first, durationBounds)
    this.#cost = this.counter('turnpike.request.cost', '{USD}', 'What requests were charged.')
    this.#looks = this.counter('turnpike.guardrail.looks', '{look}', 'What came of looks of guardrails.')
    this.#dropped = this.counter(
      'turnpike.telemetry.dropped',
      '{item}',
      'Spans, log records and exports of metrics that were not delivered.',
    )
  }

  get conventions(): Conventions {
    return this.#conventions
  }

  counter(name: string, unit: string, about: string): Counter {
    return this.#instrument(name, () => new Counter({ name, unit, about }))
  }

  histogram(name: string, unit: string, about: string, bounds: readonly number[]): Histogram {
    return this.#instrument(name, () => new Histogram({ name, unit, about }, bounds))
  }

  /** `model`: null if no catalog has it. */
  endpoint(kind: CallKind, provider: string, model: string | null): EndpointMeters {
    const known = this.#endpoints.get(kind)?.get(provider)?.get(model)
    if (known) return known
    if (this.#endpointCount >= maxEndpoints && model !== null) return this.endpoint(kind, provider, null)
    this.#endpointCount++
    const made = new EndpointMeters(this, kind, provider, model)
    const ofKind = this.#endpoints.get(kind) ?? new Map<string, Map<string | null, EndpointMeters>>()
    const ofProvider = ofKind.get(provider) ?? new Map<string | null, EndpointMeters>()
    this.#endpoints.set(kind, ofKind.set(provider, ofProvider.set(model, made)))
    return made
  }

  request(request: ClosedRequest): void {
    const { surface, kind, status, errorCode, elapsedMs, firstEventMs, provider, model, isListed, costUsd } = request
    const seconds = elapsedMs / 1_000
    if (status === 200 && errorCode === null) {
      const of = this.#successesOf(surface, kind)
      of.durations.record(seconds)
      if (firstEventMs !== null) of.firstEvents.record(firstEventMs / 1_000)
    } else {
      const labels = requestLabels(surface, kind)
      this.#requests.with([...labels, [names.status, status], [names.errorType, errorCode]]).record(seconds)
      if (firstEventMs !== null) this.#firstEvents.with(labels).record(firstEventMs / 1_000)
    }
    if (costUsd && provider !== null && kind !== null) this.endpoint(kind, provider, isListed ? model : null).charged(costUsd)
  }

  /** In US dollars. */
  costOf(labels: Labels): Count {
    return this.#cost.with(labels)
  }

  ranTool(type: string, { elapsedMs, isFailed }: EndedTool): void {
    const { toolDuration } = this.#conventions
    if (toolDuration === undefined) return
    const labels: Labels = [
      [names.operation, 'execute_tool'],
      [names.tool, type],
      [names.errorType, isFailed ? '_OTHER' : undefined],
    ]
    this.histogram(toolDuration, 's', 'How long tools of the gateway ran.', durationBounds)
      .with(labels)
      .record(elapsedMs / 1_000)
  }

  guarded({ guardrail, stage, outcome }: GuardLook): void {
    this.#looks
      .with([
        [names.guardrail, guardrail],
        [names.stage, stage],
        [names.outcome, outcome],
      ])
      .add(1)
  }

  dropped(signal: string, count: number): void {
    this.#dropped.with([[names.signal, signal]]).add(count)
  }

  write(writer: Writer, now: number): void {
    for (const instrument of this.#instruments.values()) instrument.write(writer, this.#startedAt, now)
  }

  /** Most requests are these, so their series are found faster. */
  #successesOf(surface: string | null, kind: CallKind | null): Successes {
    const known = this.#successes.get(surface)?.get(kind)
    if (known) return known
    const labels = requestLabels(surface, kind)
    const durations = this.#requests.with([...labels, [names.status, 200], [names.errorType, null]])
    const made = { durations, firstEvents: this.#firstEvents.with(labels) }
    this.#successes.set(surface, (this.#successes.get(surface) ?? new Map<CallKind | null, Successes>()).set(kind, made))
    return made
  }

  #instrument<I extends Counter | Histogram>(name: string, make: () => I): I {
    const known = this.#instruments.get(name) as I | undefined
    if (known) return known
    const made = make()
    this.#instruments.set(name, made)
    return made
  }
}

interface Successes {
  readonly durations: Distribution
  readonly firstEvents: Distribution
}

function requestLabels(surface: string | null, kind: CallKind | null): Labels {
  return [
    [names.surface, surface],
    [names.operation, kind && operationOf(kind)],
  ]
}

/** The series of one endpoint. */
export class EndpointMeters {
  readonly operation: string
  readonly model: string | null
  /** The name, the kind and the attributes that the spans of all its attempts have, encoded. */
  readonly spanFacts: Uint8Array
  readonly #meters: Meters
  readonly #labels: Labels
  readonly #durations: Histogram
  #succeeded: Distribution | undefined
  readonly #failed = new Map<string, Distribution>()
  readonly #firstChunks: Histogram
  #firstChunk: Distribution | undefined
  #tokens: TokenMeters | undefined
  #cost: Count | undefined

  constructor(meters: Meters, kind: CallKind, provider: string, model: string | null) {
    this.operation = operationOf(kind)
    this.model = model
    const writer = new Writer()
    nameSpan(writer, model === null ? this.operation : `${this.operation} ${model}`, spanKinds.client)
    names.operation.text(writer, spanAttributes, this.operation)
    names.provider.text(writer, spanAttributes, providerName(provider))
    names.ownProvider.text(writer, spanAttributes, provider)
    if (model !== null) names.model.text(writer, spanAttributes, model)
    this.spanFacts = writer.take()
    this.#meters = meters
    this.#labels = [
      [names.operation, this.operation],
      [names.provider, providerName(provider)],
      [names.model, model],
    ]
    const { durationOf, firstChunkOf } = meters.conventions
    this.#durations = meters.histogram(durationOf(this.operation), 's', 'How long calls of models took.', durationBounds)
    const about = 'The time to the first chunk of streamed answers.'
    this.#firstChunks = meters.histogram(firstChunkOf(this.operation), 's', about, durationBounds)
  }

  ended({ elapsedMs, firstEventMs, usage, outcome }: EndedAttempt, isStream: boolean, errorType: string | undefined): void {
    const seconds = elapsedMs / 1_000
    if (errorType === undefined) (this.#succeeded ??= this.#durations.with(this.#labels)).record(seconds)
    else this.#failuresOf(errorType).record(seconds)
    if (isStream && firstEventMs !== null) (this.#firstChunk ??= this.#firstChunks.with(this.#labels)).record(firstEventMs / 1_000)
    // The usage of an attempt that was outrun is a guess.
    if (usage && outcome !== 'outrun') (this.#tokens ??= new TokenMeters(this.#meters, this.operation, this.#labels)).used(usage)
  }

  charged(usd: number): void {
    ;(this.#cost ??= this.#meters.costOf(this.#labels)).add(usd)
  }

  #failuresOf(errorType: string): Distribution {
    let failures = this.#failed.get(errorType)
    if (!failures) this.#failed.set(errorType, (failures = this.#durations.with([...this.#labels, [names.errorType, errorType]])))
    return failures
  }
}

/** The tokens of one endpoint. */
class TokenMeters {
  readonly #input: Distribution
  readonly #output: Distribution | undefined
  readonly #counts: ReadonlyMap<'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'reasoning', Count> | undefined

  constructor(meters: Meters, operation: string, labels: Labels) {
    const histogram = (name: string, about: string, more: Labels = []): Distribution =>
      meters.histogram(name, '{token}', about, tokenBounds).with([...labels, ...more])
    if (meters.conventions.tokens === 'histogram') {
      const about = 'Tokens of the input and of the output.'
      this.#input = histogram('gen_ai.client.token.usage', about, [[names.tokenType, 'input']])
      this.#output = operation === 'chat' ? histogram('gen_ai.client.token.usage', about, [[names.tokenType, 'output']]) : undefined
    } else if (operation !== 'chat') {
      // The conventions have nothing for decisions and rerankings.
      const name = operation === 'embeddings' ? 'gen_ai.client.embeddings.operation.input_tokens' : 'turnpike.call.input_tokens'
      this.#input = histogram(name, 'Tokens of the input of each call.')
    } else {
      this.#input = histogram('gen_ai.client.inference.operation.input_tokens', 'Tokens of the input of each call.')
      this.#output = histogram('gen_ai.client.inference.operation.output_tokens', 'Tokens of the output of each call.')
      const count = (name: string, about: string): Count =>
        meters.counter(`gen_ai.client.inference.usage.${name}`, '{token}', about).with([...labels, [names.modality, 'unknown']])
      this.#counts = new Map([
        ['input', count('input_tokens', 'Tokens of the input, cached ones included.')],
        ['output', count('output_tokens', 'Tokens of the output, reasoning included.')],
        ['cacheRead', count('cache_read.input_tokens', 'Tokens of the input that came from a cache.')],
        ['cacheWrite', count('cache_write.input_tokens', 'Tokens of the input that were written to a cache.')],
        ['reasoning', count('reasoning.output_tokens', 'Tokens of the output that were reasoning.')],
      ])
    }
  }

  used(usage: NonNullable<EndedAttempt['usage']>): void {
    const input = inputOf(usage)
    this.#input.record(input)
    this.#output?.record(usage.output)
    const counts = this.#counts
    if (!counts) return
    counts.get('input')!.add(input)
    counts.get('output')!.add(usage.output)
    counts.get('cacheRead')!.add(usage.cacheRead)
    counts.get('cacheWrite')!.add(usage.cacheWrite5m + usage.cacheWrite1h)
    counts.get('reasoning')!.add(usage.reasoning)
  }
}
