import type { FinishReason, GatewayError, JsonObject } from '../../../core/index.ts'
import type { Commitment, FinishedAnswer, GenerationSink, ItemEvent, Outcome, StreamBody } from '../../../core/kit.ts'
import { Choice, type DeltaSink } from './choice.ts'
import { Chunks, done, type CompletionFacts } from './chunks.ts'
import { errorData } from './errors.ts'
import { isTier, type AnswerForm } from './parse.ts'
import { publicUsage } from './usage.ts'

/** Turns core's items into a completion or its chunks. */
export class CompletionBuilder implements GenerationSink {
  #facts: CompletionFacts
  readonly #form: AnswerForm
  readonly #publicly: (error: GatewayError) => GatewayError
  readonly #failed: number
  readonly #body: StreamBody | undefined
  #chunks: Chunks | undefined
  #choice: Choice
  readonly #choices: JsonObject[] = []
  #answerExtra: JsonObject | undefined
  #usageExtra: JsonObject | undefined
  #reports = 0
  #isOwn = false
  #usage: JsonObject | undefined
  #completion: JsonObject = {}

  /** `publicly`: an error in the words of this API. `failed`: the status of a request that every endpoint failed. */
  constructor(
    facts: CompletionFacts,
    form: AnswerForm,
    publicly: (error: GatewayError) => GatewayError,
    failed: number,
    body: StreamBody | undefined,
  ) {
    this.#facts = facts
    this.#form = form
    this.#publicly = publicly
    this.#failed = failed
    this.#body = body
    this.#choice = new Choice(form, undefined)
    body?.onSilence(() => body.write(': keep-alive\n\n'))
  }

  get id(): string {
    return this.#facts.id
  }

  get completion(): JsonObject {
    return this.#completion
  }

  get full(): boolean {
    return this.#body?.full ?? false
  }

  drained(): Promise<void> {
    return this.#body?.drained() ?? Promise.resolve()
  }

  begin({ endpoint }: Commitment): void {
    if (endpoint) this.#facts = { ...this.#facts, model: `${endpoint.provider}/${endpoint.model}` }
    if (!this.#body) return
    this.#chunks = new Chunks(this.#facts, this.#form.includeUsage)
    this.#choice = new Choice(this.#form, this.#deltas())
  }

  write(event: ItemEvent): void {
    if (event.type === 'choice') return this.#next(event.reason)
    if (event.type !== 'extra') return this.#choice.write(event)
    const { at, fields } = event
    switch (at) {
      case 'answer':
        this.#isOwn = true
        this.#choice.beOwn()
        this.#answer(fields)
        return
      case 'item':
        return this.#choice.extra(fields)
      case 'usage':
        this.#reports += 1
        this.#usageExtra = fields
        return
      case 'finish':
        this.#choice.ended(fields)
    }
  }

  close({ finish, usage, costUsd }: Outcome): FinishedAnswer {
    this.#over(finish)
    // Of several rounds, the gateway adds up the counts.
    this.#usage = publicUsage(usage, costUsd, this.#reports === 1 ? this.#usageExtra : undefined)
    const { id, created, model } = this.#facts
    this.#completion = {
      id,
      object: 'chat.completion',
      created,
      model,
      choices: this.#choices,
      usage: this.#usage,
      ...this.#answerExtra,
    }
    return { id, body: this.#completion }
  }

  end(): void {
    const body = this.#body
    if (!body) return
    this.#writeEnd(body)
    if (this.#form.includeUsage) body.write(this.#chunks!.usage(this.#usage!))
    body.write(done)
    body.end()
  }

  fail(error: GatewayError): void {
    if (!this.#body) return
    this.#body.write(`data: ${errorData(this.#publicly(error), this.#failed)}\n\n`)
    this.#body.end()
  }

  abandon(): void {
    this.#body?.abandon()
  }

  /** A service tier that clients of this API do not know would break those with strict types. */
  #answer({ service_tier: tier, ...others }: JsonObject): void {
    const fields = isTier(tier) ? { ...others, service_tier: tier } : others
    if (Object.keys(fields).length === 0) return
    this.#answerExtra = { ...this.#answerExtra, ...fields }
    if (this.#chunks) this.#chunks.beside = this.#answerExtra
  }

  #over(finish: FinishReason): void {
    const choice = this.#choice
    const { finish_reason, ...beside } = choice.finish(finish)
    this.#choices.push({ index: this.#choices.length, message: choice.message, logprobs: choice.logprobs, finish_reason, ...beside })
  }

  /** One choice is over, and another begins. */
  #next(reason: FinishReason): void {
    this.#over(reason)
    if (this.#body) this.#writeEnd(this.#body)
    this.#choice = new Choice(this.#form, this.#body && this.#deltas())
    if (this.#isOwn) this.#choice.beOwn()
  }

  #writeEnd(body: StreamBody): void {
    const { index, message: _, logprobs: __, ...ended } = this.#choices.at(-1)!
    body.write(this.#chunks!.choice({ index, delta: {}, logprobs: null, ...ended }))
  }

  #deltas(): DeltaSink {
    const body = this.#body!
    const chunks = this.#chunks!
    const index = this.#choices.length
    let around = chunks.around(index)
    let beside = this.#answerExtra
    return {
      delta: (delta, logprobs = undefined) => body.write(chunks.choice({ index, delta, logprobs: logprobs ?? null, finish_reason: null })),
      text: (name, text) => {
        if (beside !== this.#answerExtra) {
          beside = this.#answerExtra
          around = chunks.around(index)
        }
        const said = JSON.stringify(text)
        const members = name === 'reasoning' ? `"reasoning_content":${said},"reasoning":${said}` : `"${name}":${said}`
        body.write(`${around.head}{${members}}${around.tail}`)
      },
    }
  }
}
