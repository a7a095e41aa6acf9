import {
  invalidRequest,
  requestTexts,
  type GatewayError,
  type GenerationRequest,
  type GuardSession,
  type GuardVerdict,
  type OutputChannel,
  type OutputFilter,
  type RequestText,
  type RunContext,
} from '../../../core/index.ts'
import type { Finder, Found } from './finder.ts'
import { placeholderPattern, Placeholders } from './placeholders.ts'
import { Restorer } from './restorer.ts'
import type { Searches } from './searches.ts'
import type { Settings } from './settings.ts'

const mask = '****'
/** Between two texts that are searched together. Nothing that is found has this character. */
const divider = '\n\0\n'

/** One request of a key with redaction on. */
export class RedactionSession implements GuardSession {
  readonly #settings: Settings
  readonly #searches: Searches
  readonly #finder: () => Promise<Finder>
  readonly #context: RunContext
  /** The same for the whole request: it is searched again when tools of the gateway have added to the conversation. */
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
    // This takes a while for long JSON, so it has a turn of its own, which a caller that left does not get.
    const texts = await this.#searches.run(owner, 0, signal, async () => requestTexts(request))
    const [path] = texts.unreadable
    if (path !== undefined && unreadable === 'refuse') return { refuse: cannotRead(path) }
    this.#placeholders.avoid(lookalikes(texts.slots))
    const found = await this.#find([...texts.slots, ...modelNames(request)], signal)
    for (const [slot, spans] of found) {
      if (replacement === 'refuse') return { refuse: refused(slot, spans, 'this API key does not allow it') }
      if (slot.kind === 'fixed') return { refuse: refused(slot, spans, 'a name or an address cannot be redacted') }
      slot.replace(this.#redacted(slot.text, spans, replacement))
    }
    if (found.size === 0 && !texts.isCut) return { pass: true }
    texts.finish()
    if (found.size > 0) this.#keep(found)
    return { replace: texts.request }
  }

  output({ json }: OutputChannel): OutputFilter | undefined {
    const { restore = true } = this.#settings
    if (!restore || this.#placeholders.isEmpty) return undefined
    return new Restorer(this.#placeholders, json)
  }

  /** One search for all texts: most are short, and a search has a fixed cost. */
  async #find(slots: readonly RequestText[], signal: AbortSignal): Promise<ReadonlyMap<RequestText, readonly Found[]>> {
    const finder = await this.#finder()
    const text = slots.map(({ text }) => text).join(divider)
    const all = await this.#searches.run(this.#context.caller.owner, text.length, signal, turn => finder.find(text, turn))
    const found = new Map<RequestText, Found[]>()
    let next = 0
    let from = 0
    for (const slot of slots) {
      const to = from + slot.text.length
      const spans: Found[] = []
      for (; next < all.length && all[next]!.start < to; next++) {
        const { start, end, label } = all[next]!
        if (end > from) spans.push({ label, start: Math.max(start, from) - from, end: Math.min(end, to) - from })
        if (end > to) break
      }
      if (spans.length > 0) found.set(slot, spans)
      from = to + divider.length
    }
    return found
  }

  #redacted(text: string, spans: readonly Found[], replacement: 'placeholder' | 'mask'): string {
    let redacted = ''
    let from = 0
    for (const { start, end, label } of spans) {
      const value = text.slice(start, end)
      redacted += text.slice(from, start) + (replacement === 'mask' ? mask : this.#placeholders.of(label, value))
      from = end
    }
    return redacted + text.slice(from)
  }

  /** What was found and what stands for it belongs to the content. So nothing of it remains where logging is off. */
  #keep(found: ReadonlyMap<RequestText, readonly Found[]>): void {
    const placeholders = this.#placeholders.isEmpty ? undefined : this.#placeholders.mapping()
    this.#context.keep('redaction', { found: this.#summary(found), ...(placeholders && { placeholders }) })
  }

  /** How often each kind was found. */
  #summary(found: ReadonlyMap<RequestText, readonly Found[]>): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const spans of found.values()) for (const { label } of spans) counts[label.toLowerCase()] = (counts[label.toLowerCase()] ?? 0) + 1
    return counts
  }
}

/** Vendors get the name of a model as the caller wrote it, if no catalog lists it. */
function modelNames({ model, routing }: GenerationRequest): readonly RequestText[] {
  const fallbacks = routing?.model?.fallbacks ?? []
  const name = (path: string, text: string): RequestText => ({ path, text, kind: 'fixed', replace() {} })
  return [name('model', model), ...fallbacks.map((fallback, index) => name(`routing.model.fallbacks[${index}]`, fallback))]
}

/** Texts of the caller that look like placeholders. */
function lookalikes(slots: readonly RequestText[]): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { text } of slots)
    if (text.includes('[')) for (const [placeholder] of text.matchAll(placeholderPattern)) found.add(placeholder)
  return found
}

function refused({ path }: RequestText, spans: readonly Found[], reason: string): GatewayError {
  const kinds = [...new Set(spans.map(({ label }) => label.toLowerCase()))].join(', ')
  return invalidRequest(`${path} contains personal data (${kinds}), and ${reason}. Remove it.`, path, 'invalid_prompt')
}

function cannotRead(path: string): GatewayError {
  return invalidRequest(
    `${path} cannot be searched for personal data, and the redaction settings of this API key refuse what cannot be read. ` +
      'Send text, or set "unreadable" to "pass".',
    path,
    'invalid_prompt',
  )
}
