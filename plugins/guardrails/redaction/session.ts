import {
  invalidRequest,
  type GatewayError,
  type GenerationRequest,
  type GuardSession,
  type GuardVerdict,
  type OutputChannel,
  type OutputFilter,
  type RunContext,
} from '../../../core/index.ts'
import { readRequestTexts, type RequestText, type RequestTexts, wording, own } from '../../../core/kit.ts'
import type { Finder, Found } from './finder.ts'
import { placeholderPattern, Placeholders } from './placeholders.ts'
import { Restorer } from './restorer.ts'
import { inTurns, type Searches } from './searches.ts'
import type { Settings } from './settings.ts'

type Replacement = NonNullable<Settings['replacement']>

const mask = '****'
/** The number of texts to read or write between two pauses. */
const stepTexts = 256
/** Divides two texts that are searched together. No detector matches this character. */
const divider = '\n\0\n'

/** One request of a key with redaction on. */
export class RedactionSession implements GuardSession {
  readonly #settings: Settings
  readonly #searches: Searches
  readonly #finder: () => Promise<Finder>
  readonly #context: RunContext
  /** Kept for the whole request, which is searched again when the gateway's tools have added to the conversation. */
  readonly #placeholders = new Placeholders()

  constructor(settings: Settings, searches: Searches, finder: () => Promise<Finder>, context: RunContext) {
    this.#settings = settings
    this.#searches = searches
    this.#finder = finder
    this.#context = context
  }

  async input(request: GenerationRequest, signal: AbortSignal): Promise<GuardVerdict> {
    const { unreadable = 'refuse', replacement = 'placeholder' } = this.#settings
    const { owner } = this.#context.caller
    const texts = await this.#searches.run(owner, 0, signal, turn => inTurns(readRequestTexts(request), turn))
    const [path] = texts.unreadable
    if (path !== undefined && unreadable === 'refuse') return { refuse: cannotRead(path) }
    const slots = [...texts.slots, ...modelNames(request)]
    const finder = await this.#finder()
    const text = await this.#searches.run(owner, 0, signal, turn => inTurns(this.#joined(slots), turn))
    return await this.#searches.run(owner, text.length, signal, async turn => {
      const found = await finder.find(text, turn)
      return await inTurns(this.#verdict(texts, slots, found, replacement), turn)
    })
  }

  output({ json }: OutputChannel): OutputFilter | undefined {
    const { restore = true } = this.#settings
    if (!restore || this.#placeholders.isEmpty) return undefined
    return new Restorer(this.#placeholders, json)
  }

  /** One search for all texts: most are short, and a search has a fixed cost. */
  *#joined(slots: readonly RequestText[]): Generator<void, string> {
    const parts: string[] = []
    for (let from = 0; from < slots.length; from += stepTexts) {
      const some = slots.slice(from, from + stepTexts)
      for (const { kind, text } of some) if (kind === 'fixed') this.#avoidLookalikes(text)
      parts.push(some.map(({ text }) => text).join(divider))
      yield
    }
    return parts.join(divider)
  }

  /** Names and addresses that look like placeholders: they cannot be replaced. */
  #avoidLookalikes(text: string): void {
    if (text.includes('[')) for (const [lookalike] of text.matchAll(placeholderPattern)) this.#placeholders.avoid(lookalike)
  }

  /** Text between the finds. If nothing is restored, text that looks like a placeholder may stay. */
  #plain(text: string): string {
    const { replacement = 'placeholder', restore = true } = this.#settings
    if (replacement !== 'placeholder' || !restore || !text.includes('[')) return text
    return text.replaceAll(placeholderPattern, lookalike => this.#placeholders.ofLookalike(lookalike))
  }

  *#verdict(
    texts: RequestTexts,
    slots: readonly RequestText[],
    found: readonly Found[],
    replacement: Replacement,
  ): Generator<void, GuardVerdict> {
    const counts = new Map<string, number>()
    let next = 0
    let from = 0
    for (const [index, slot] of slots.entries()) {
      const to = from + slot.text.length
      const spans: Found[] = []
      for (; next < found.length && found[next]!.start < to; next++) {
        const { start, end, label } = found[next]!
        if (end > from) spans.push({ label, start: Math.max(start, from) - from, end: Math.min(end, to) - from })
        if (end > to) break
      }
      if (spans.length > 0) {
        if (replacement === 'refuse') return { refuse: refused(slot, spans, 'this API key does not allow it') }
        if (slot.kind === 'fixed') return { refuse: refused(slot, spans, 'a name or an address cannot be redacted') }
        slot.replace(yield* this.#redacted(slot.text, spans, replacement))
        for (const { label } of spans) counts.set(label, (counts.get(label) ?? 0) + 1)
      } else if (slot.kind === 'text') {
        const plain = this.#plain(slot.text)
        if (plain !== slot.text) slot.replace(plain)
      }
      from = to + divider.length
      if (index % stepTexts === 0) yield
    }
    if (counts.size === 0 && !texts.isCut) return { pass: true }
    yield* texts.finishInSteps()
    if (counts.size > 0) yield* this.#keep(counts)
    return { replace: texts.request }
  }

  *#redacted(text: string, spans: readonly Found[], replacement: 'placeholder' | 'mask'): Generator<void, string> {
    let redacted = ''
    let pieces: string[] = []
    let from = 0
    for (const { start, end, label } of spans) {
      pieces.push(
        this.#plain(text.slice(from, start)),
        replacement === 'mask' ? mask : this.#placeholders.of(label, text.slice(start, end)),
      )
      from = end
      if (pieces.length < stepTexts) continue
      redacted += pieces.join('')
      pieces = []
      yield
    }
    return redacted + pieces.join('') + this.#plain(text.slice(from))
  }

  /** Values and their placeholders are content, so nothing of them is kept with logging off. */
  *#keep(counts: ReadonlyMap<string, number>): Generator<void, void> {
    if (!this.#context.caller.policy.logging.value) return
    const placeholders = this.#placeholders.isEmpty ? undefined : yield* this.#placeholders.mapping()
    const found: Record<string, number> = {}
    for (const [label, count] of counts) found[label.toLowerCase()] = (found[label.toLowerCase()] ?? 0) + count
    this.#context.keep('redaction', { found, ...(placeholders && { placeholders }) })
  }
}

/** Vendors get the name of a model as the caller wrote it, if no catalog lists it. */
function modelNames({ model, routing }: GenerationRequest): readonly RequestText[] {
  const fallbacks = routing?.model?.fallbacks ?? []
  const name = (path: string, text: string): RequestText => ({ path, text, kind: 'fixed', replace() {} })
  return [name('model', model), ...fallbacks.map((fallback, index) => name(`routing.model.fallbacks[${index}]`, fallback))]
}

function refused({ path }: RequestText, spans: readonly Found[], reason: string): GatewayError {
  const kinds = [...new Set(spans.map(({ label }) => label.toLowerCase()))].join(', ')
  return invalidRequest(wording`${path} contains personal data (${own(kinds)}), and ${own(reason)}. Remove it.`, path, 'invalid_prompt')
}

function cannotRead(path: string): GatewayError {
  return invalidRequest(
    wording`${path} cannot be searched for personal data, and the redaction settings of this API key refuse what cannot be read. Send text, or set "unreadable" to "pass".`,
    path,
    'invalid_prompt',
  )
}
