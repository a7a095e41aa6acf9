import { isObject, type FinishReason, type GatewayError, type GenerationRequest, type JsonObject } from '../../../core/index.ts'
import type { Commitment, FinishedAnswer, GenerationSink, ItemEvent, Outcome } from '../../../core/kit.ts'
import { Candidate, type EndedCandidate, type PartSink } from './candidate.ts'
import type { ChunkBody } from './chunk-body.ts'
import { errorBody, publicError } from './errors.ts'
import { publicUsage } from './usage.ts'

/** Turns core's items into a response, or those of a stream. */
export class ContentBuilder implements GenerationSink {
  readonly id: string
  readonly #failed: number
  readonly #body: ChunkBody | undefined
  #model: string
  #candidate: Candidate
  readonly #ended: EndedCandidate[] = []
  /** Members of the reply, in the words of the vendor. */
  #reply: JsonObject = nothing
  /** Those that the stream has not told yet. */
  #news: JsonObject = nothing
  #usageExtra: JsonObject | undefined
  #reports = 0
  #response: JsonObject = nothing
  #last: JsonObject = nothing

  /** `failed`: the status of a request that every endpoint failed. */
  constructor(id: string, { model }: GenerationRequest, failed: number, body: ChunkBody | undefined) {
    this.id = id
    this.#model = model
    this.#failed = failed
    this.#body = body
    this.#candidate = new Candidate(0, body && this.#sinkOf(0))
  }

  get response(): JsonObject {
    return this.#response
  }

  get full(): boolean {
    return this.#body?.full ?? false
  }

  drained(): Promise<void> {
    return this.#body?.drained() ?? Promise.resolve()
  }

  begin({ endpoint }: Commitment): void {
    if (endpoint) this.#model = `${endpoint.provider}/${endpoint.model}`
  }

  write(event: ItemEvent): void {
    if (event.type === 'extra') return this.#extra(event.at, event.fields)
    if (event.type !== 'choice') return this.#candidate.write(event)
    const { last } = this.#endCandidate(event.reason)
    if (this.#body) this.#send(last)
    const index = this.#ended.length
    this.#candidate = new Candidate(index, this.#body && this.#sinkOf(index))
  }

  close({ finish, usage, costUsd }: Outcome): FinishedAnswer {
    const { last, isEmpty } = this.#endCandidate(finish)
    // Of several rounds, the gateway adds up the counts.
    const counts =
      this.#usageExtra && this.#reports === 1 ? { ...this.#usageExtra, costUsd } : publicUsage(usage, costUsd, this.#usageExtra)
    const end = { usageMetadata: counts, modelVersion: this.#model, responseId: this.id, ...this.#reply }
    // The vendor blocked the prompt: there is no candidate.
    const isBlocked = isObject(this.#reply['promptFeedback']) && this.#reply['promptFeedback']['blockReason'] !== undefined
    const isMissing = isBlocked && isEmpty && this.#ended.length === 1
    this.#response = { ...(!isMissing && { candidates: this.#ended.map(({ whole }) => whole) }), ...end }
    this.#last = { ...(!isMissing && { candidates: [last] }), ...end }
    return { id: this.id, body: this.#response }
  }

  end(): void {
    this.#body?.write(JSON.stringify(this.#last))
    this.#body?.end()
  }

  fail(error: GatewayError): void {
    this.#body?.fail(JSON.stringify(errorBody(publicError(error, this.#failed))))
  }

  abandon(): void {
    this.#body?.abandon()
  }

  #endCandidate(finish: FinishReason): EndedCandidate {
    const ended = this.#candidate.end(finish)
    this.#ended.push(ended)
    return ended
  }

  #extra(at: 'answer' | 'item' | 'usage' | 'finish', fields: JsonObject): void {
    switch (at) {
      case 'answer': {
        const { candidates, ...reply } = fields
        if (Array.isArray(candidates) && isObject(candidates[0])) this.#candidate.add(candidates[0])
        this.#reply = { ...this.#reply, ...reply }
        this.#news = { ...this.#news, ...reply }
        return
      }
      case 'item':
        return this.#candidate.extra(fields)
      case 'usage':
        this.#reports += 1
        this.#usageExtra = fields
        return
      case 'finish':
        return this.#candidate.ended(fields)
    }
  }

  #sinkOf(index: number): PartSink {
    let head = ''
    let thoughtHead = ''
    let tail = ''
    return {
      send: part => this.#send(this.#candidate.piece(part)),
      sendText: (text, isThought) => {
        if (this.#news !== nothing || this.#candidate.hasNews)
          return this.#send(this.#candidate.piece(isThought ? { text, thought: true } : { text }))
        if (head === '') {
          const end = JSON.stringify({ modelVersion: this.#reply['modelVersion'] ?? this.#model, responseId: this.id }).slice(1)
          head = '{"candidates":[{"content":{"parts":[{"text":'
          thoughtHead = '{"candidates":[{"content":{"parts":[{"thought":true,"text":'
          tail = `}],"role":"model"},"index":${index}}],${end}`
        }
        this.#body!.write((isThought ? thoughtHead : head) + JSON.stringify(text) + tail)
      },
    }
  }

  #send(candidate: JsonObject): void {
    const modelVersion = this.#reply['modelVersion'] ?? this.#model
    const chunk = { candidates: [candidate], modelVersion, responseId: this.id, ...this.#news }
    this.#news = nothing
    this.#body!.write(JSON.stringify(chunk))
  }
}

const nothing: JsonObject = {}
