import { ProviderFailure, type JsonObject, type ProviderCall, type TokenUsage } from '../../../core/index.ts'
import { membersOf, type Emit } from '../../../core/kit.ts'
import { Content } from './content.ts'
import { failureInside } from './failure.ts'
import { blocked, endingOf, reasonName } from './finish.ts'
import { traitsOf } from './models.ts'
import { exactOf } from './own-dialect.ts'
import { settingsFor } from './settings.ts'
import { usageOf } from './usage.ts'
import type { WireCandidate, WireResponse, WireUsage } from './wire-reply.ts'

/** Collects a reply. A stream is a sequence of responses that each add to it, and a whole reply is one response. */
export class Reply {
  readonly #call: ProviderCall
  readonly #emit: Emit
  readonly #content: Content
  /** The caller speaks this dialect, and gets what only it can say. */
  readonly #isOwn: boolean
  #isBlocked = false
  #begun = false
  #model = ''
  #usage: WireUsage | undefined
  /** True if the last counts were emitted. */
  #counted = false
  #end: Pick<WireCandidate, 'finishReason' | 'finishMessage'> = {}
  /** The vendor runs code that the model wrote. The model continues with the result, despite any finish reason. */
  #runsCode = false
  #isComplete = false

  constructor(call: ProviderCall, emit: Emit) {
    this.#call = call
    this.#emit = emit
    this.#isOwn = exactOf(call.request) !== undefined
    this.#content = new Content(emit, this.#isOwn)
  }

  add(response: WireResponse): void {
    if (response.error) throw failureInside(response)
    this.#begin(response)
    const { promptFeedback, candidates, usageMetadata } = response
    if (promptFeedback?.blockReason && !this.#isOwn)
      throw blocked(promptFeedback.blockReason, promptFeedback.blockReasonMessage, JSON.stringify(response))
    if (promptFeedback?.blockReason) this.#isBlocked = true
    if (this.#isOwn) this.#tell(response)
    for (const candidate of candidates ?? []) {
      if (candidate.index) continue
      if (!this.#isComplete) this.#content.add(candidate)
      // The reason may come before the last piece, and again with another value.
      if (candidate.finishReason) {
        this.#end = candidate
        this.#runsCode = candidate.content?.parts?.at(-1)?.executableCode != null
      }
    }
    // After the content, which the counts include.
    if (usageMetadata) this.#count(usageMetadata)
    if (this.#end.finishReason && !this.#runsCode && usageMetadata?.candidatesTokenCount !== undefined) this.#isComplete = true
  }

  /** A finish reason has arrived, with counts. What follows is not part of the answer. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Emits nothing without a stop reason, because then the reply was cut short. */
  end(): void {
    const { finishReason: reason, finishMessage: message } = this.#end
    if (this.#isBlocked && !reason) return this.#endBlocked()
    if (!reason) return
    const ending = endingOf(reason, message ?? undefined)
    if (ending === 'content-filter' && message && !this.#isOwn) this.#content.refuse(message)
    const { searches: asked, calls } = this.#content.end()
    const searches = traitsOf(this.#call.endpoint).countsSearches ? asked : Math.min(asked, 1)
    if (this.#usage && (searches > 0 || !this.#counted))
      this.#emit({ type: 'usage', usage: { ...this.#read(this.#usage), ...(searches > 0 && { toolCalls: { web_search: searches } }) } })
    if (typeof ending === 'object') throw ending.failure
    if (this.#content.isMediaAlone)
      throw new ProviderFailure({
        kind: 'protocol',
        message: 'The model answered with only an image or a sound, which a response cannot hold.',
      })
    if (this.#isOwn) {
      this.#tellUsage()
      this.#emit({ type: 'extra', at: 'finish', fields: { finishReason: reasonName(reason), ...(message && { finishMessage: message }) } })
    }
    this.#emit({ type: 'finish', reason: ending === 'stop' && calls > 0 ? 'tool-calls' : ending })
  }

  /** The answer to a caller of this dialect has no candidate, and says why. */
  #endBlocked(): void {
    if (this.#usage) this.#emit({ type: 'usage', usage: this.#read(this.#usage) })
    this.#tellUsage()
    this.#emit({ type: 'finish', reason: 'content-filter' })
  }

  #tellUsage(): void {
    if (this.#usage) this.#emit({ type: 'extra', at: 'usage', fields: { ...this.#usage } })
  }

  /** Members of the response and of its candidate that no event can say. */
  #tell(response: WireResponse): void {
    const candidates = response.candidates?.filter(({ index }) => !index).map(candidate => without(candidate, candidateMembers)) ?? []
    const candidate = candidates.find(each => Object.keys(each).length > 0)
    const fields = { ...without(response, responseMembers), ...(candidate && { candidates: [candidate] }) }
    if (Object.keys(fields).length > 0) this.#emit({ type: 'extra', at: 'answer', fields })
  }

  #begin({ modelVersion }: WireResponse): void {
    if (!this.#begun) {
      this.#begun = true
      for (const warning of settingsFor(this.#call).warnings) this.#emit({ type: 'warning', ...warning })
    }
    if (modelVersion && modelVersion !== this.#model) {
      this.#model = modelVersion
      this.#emit({ type: 'model', model: modelVersion })
    }
  }

  /** Emits counts only once they include output. Otherwise a client that disconnects early would not be charged for any output. */
  #count(usage: WireUsage): void {
    const hasInput = usage.promptTokenCount !== undefined
    if (hasInput || !this.#usage) this.#usage = usage
    if (!hasInput) return
    this.#counted = usage.candidatesTokenCount !== undefined
    if (this.#counted) this.#emit({ type: 'usage', usage: this.#read(usage) })
  }

  #read(usage: WireUsage): TokenUsage {
    return usageOf(usage, this.#content.hasSaid)
  }
}

const responseMembers = new Set(['candidates', 'usageMetadata', 'responseId', 'error'])
const candidateMembers = new Set(['index', 'content', 'finishReason', 'finishMessage'])

function without(value: object, known: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name, member]) => !known.has(name) && member !== null))
}

/** A reply that did not stream. */
export function replyEvents(body: unknown, emit: Emit, call: ProviderCall): void {
  const response = membersOf(body) as WireResponse
  if (!response.error && !response.candidates && !response.promptFeedback)
    throw new ProviderFailure({
      kind: 'protocol',
      message: 'The provider sent a reply that is not generated content.',
      upstream: JSON.stringify(body),
    })
  const whole = new Reply(call, emit)
  whole.add(response)
  whole.end()
}
