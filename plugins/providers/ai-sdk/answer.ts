import { ProviderFailure, type GenerationEvent } from '../../../core/index.ts'
import type { Emit } from '../../../core/kit.ts'
import { Citations } from './citations.ts'
import { failureInside } from './failure.ts'
import { finishReasonOf } from './finish.ts'
import type { Content, GenerateResult, Metadata, StreamPart } from './specification.ts'
import { joined, stateText, worthKeeping, type State } from './state.ts'
import { ToolInputs } from './tool-inputs.ts'
import { usageOf } from './usage.ts'
import type { Vendor } from './vendor.ts'
import { warningFrom } from './warnings.ts'

type FinishPart = Pick<GenerateResult, 'usage' | 'finishReason' | 'providerMetadata'>
type TextEvent = Extract<GenerationEvent, { readonly type: 'text' }>

interface Block {
  /** Where a text starts in its message. */
  readonly start: number
  text: string
  metadata: Metadata | undefined
}

/** Turns one answer of a package into events, streamed or whole. */
export class Answer {
  readonly #vendor: Vendor
  readonly #emit: Emit
  readonly #blocks = new Map<string, Block>()
  readonly #calls: ToolInputs
  readonly #citations: Citations
  #phase: Pick<TextEvent, 'phase'> = {}
  #messageLength = 0
  #hasSaid = false
  #hasFile = false

  constructor(vendor: Vendor, emit: Emit) {
    this.#vendor = vendor
    this.#emit = emit
    this.#calls = new ToolInputs(event => this.#other(event))
    this.#citations = new Citations(emit)
  }

  /** Ignores unknown types of parts. */
  part(part: StreamPart): void {
    switch (part.type) {
      case 'text-delta':
        return this.#text(part.delta)
      case 'reasoning-delta':
        return this.#thought(part.id, part.delta, part.providerMetadata)
      case 'tool-input-delta':
        return this.#calls.delta(part.id, part.delta)
      case 'stream-start':
        return this.#warn(part.warnings)
      case 'response-metadata':
        return this.#model(part.modelId)
      case 'text-start':
      case 'reasoning-start':
        return this.#start(part.type, part.id, part.providerMetadata)
      case 'text-end':
        return this.#endText(part.id, part)
      case 'reasoning-end':
        return this.#endThought(part.id, part.providerMetadata)
      case 'tool-input-start':
        return this.#calls.start(part)
      case 'tool-call':
        return this.#calls.whole(part)
      case 'source':
        return this.#citations.source(part, this.#messageLength)
      case 'file':
        this.#hasFile = true
        return
      case 'finish':
        return this.#finish(part)
      case 'error':
        throw failureInside(part.error)
    }
  }

  /** A reply that did not stream. */
  whole(result: GenerateResult): void {
    this.#warn(result.warnings)
    this.#model(result.response?.modelId)
    result.content.forEach((content, index) => this.#content(content, String(index)))
    this.#finish(result)
  }

  #content(content: Content, id: string): void {
    if (content.type === 'text') {
      this.#start('text-start', id, content.providerMetadata)
      this.#text(content.text)
      this.#endText(id, 'citations' in content && content.citations ? { citations: content.citations } : {})
    } else if (content.type === 'reasoning') {
      this.#start('reasoning-start', id, content.providerMetadata)
      this.#thought(id, content.text, undefined)
      this.#endThought(id, undefined)
    } else this.part(content)
  }

  #warn(warnings: GenerateResult['warnings']): void {
    for (const warning of warnings) this.#emit({ type: 'warning', ...warningFrom(warning) })
  }

  #model(model: string | undefined): void {
    if (model) this.#emit({ type: 'model', model })
  }

  #start(type: 'text-start' | 'reasoning-start', id: string, metadata: Metadata | undefined): void {
    this.#blocks.set(id, { start: this.#messageLength, text: '', metadata })
    if (type === 'text-start') this.#phase = phaseIn(metadata)
  }

  #text(text: string): void {
    if (text === '') return
    this.#hasSaid = true
    this.#messageLength += text.length
    this.#emit({ type: 'text', text, ...this.#phase })
  }

  #endText(id: string, { citations, providerMetadata }: Pick<Extract<StreamPart, { type: 'text-end' }>, 'providerMetadata'> & Cited): void {
    const block = this.#blocks.get(id)
    if (!block) return
    this.#blocks.delete(id)
    this.#citations.endText(citations ?? [], block.start, this.#messageLength)
    const metadata = worthKeeping(joined(block.metadata, providerMetadata))
    if (metadata && !this.#vendor.onlyReasoningHasState) this.#state({ of: 'text', metadata })
    else if (this.#phase.phase) this.#other({ type: 'item-end' })
    this.#phase = {}
  }

  #thought(id: string, text: string, metadata: Metadata | undefined): void {
    const block = this.#blocks.get(id)
    if (block) {
      block.text += text
      block.metadata = joined(block.metadata, metadata)
    }
    if (text === '') return
    this.#hasSaid = true
    this.#other({ type: 'reasoning', text, form: this.#vendor.digests ? 'summary' : 'full' })
  }

  #endThought(id: string, providerMetadata: Metadata | undefined): void {
    const block = this.#blocks.get(id)
    if (!block) return
    this.#blocks.delete(id)
    const metadata = worthKeeping(joined(block.metadata, providerMetadata))
    if (metadata) this.#state({ of: 'thought', text: block.text, metadata })
    else this.#other({ type: 'item-end' })
  }

  #finish({ usage, finishReason, providerMetadata }: FinishPart): void {
    const reason = finishReasonOf(finishReason, this.#hasSaid || this.#calls.count > 0)
    this.#citations.end(this.#messageLength, this.#calls.hasForeign)
    this.#calls.end(reason === 'length' || reason === undefined)
    const states = Object.entries(this.#calls.metadata).filter(([, metadata]) => worthKeeping(metadata))
    if (states.length > 0 && !this.#vendor.onlyReasoningHasState) this.#state({ of: 'calls', calls: Object.fromEntries(states) })
    const counts = usageOf(usage, providerMetadata, this.#vendor, this.#hasSaid || this.#calls.count > 0)
    if (counts) this.#emit({ type: 'usage', usage: counts })
    if (!this.#hasSaid && this.#calls.count === 0 && this.#hasFile)
      throw new ProviderFailure({ kind: 'protocol', message: 'The provider answered with only a file, which cannot be passed on.' })
    if (reason) this.#emit({ type: 'finish', reason: reason === 'stop' && this.#calls.count > 0 ? 'tool-calls' : reason })
  }

  #state(state: State): void {
    this.#other({ type: 'reasoning-state', opaque: stateText(state) })
  }

  /** Anything but text ends the open message. */
  #other(event: GenerationEvent): void {
    this.#messageLength = 0
    this.#emit(event)
  }
}

interface Cited {
  readonly citations?: Extract<Extract<StreamPart, { type: 'text-end' }>, { citations?: unknown }>['citations']
}

/** OpenAI models may send commentary before they answer. */
function phaseIn(metadata: Metadata | undefined): Pick<TextEvent, 'phase'> {
  const phase = Object.values(metadata ?? {}).find(each => 'phase' in each)?.['phase']
  return phase === 'commentary' || phase === 'final_answer' ? { phase } : {}
}
