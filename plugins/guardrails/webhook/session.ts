import {
  GatewayError,
  invalidRequest,
  PluginError,
  type AnswerItem,
  type GenerationRequest,
  type GuardSession,
  type GuardVerdict,
  type ItemVerdict,
  type RunContext,
} from '../../../core/index.ts'
import { decisionTexts, requestTexts, type DecisionRequest, type RequestText, own, wording, Wording } from '../../../core/kit.ts'
import { roleAt } from './role.ts'
import type { AskedText, Question, Service } from './service.ts'
import type { Verdict } from './verdict.ts'

export interface Webhook {
  readonly plugin: string
  /** Of the guardrail. */
  readonly name: string
  readonly service: Service
  /** Texts that no message of the service may reveal to a caller. */
  readonly secrets: readonly string[]
}

const maxMessageLength = 1_000

/** One request, as the service sees it. */
export class WebhookSession implements Required<Pick<GuardSession, 'input' | 'decision' | 'item'>> {
  readonly #webhook: Webhook
  readonly #context: RunContext
  #model = ''
  #asked = 0

  constructor(webhook: Webhook, context: RunContext) {
    this.#webhook = webhook
    this.#context = context
  }

  async input(request: GenerationRequest): Promise<GuardVerdict> {
    this.#model = request.model
    const texts = requestTexts(request)
    const asked = texts.slots.map((slot, id) => askedText(slot, id, roleAt(slot.path, request)))
    const verdict = await this.#ask('input', asked, texts.unreadable)
    if (verdict.verdict === 'allow') return { pass: true }
    if (verdict.verdict === 'refuse') return { refuse: this.#refusal(verdict.message, 'request') }
    this.#replace(texts.slots, verdict.texts)
    texts.finish()
    return { replace: texts.request }
  }

  async decision(request: DecisionRequest): Promise<GuardVerdict<DecisionRequest>> {
    this.#model = request.model
    const texts = decisionTexts(request)
    const asked = texts.slots.map((slot, id) => askedText(slot, id, null))
    const verdict = await this.#ask('decision', asked, texts.unreadable)
    if (verdict.verdict === 'allow') return { pass: true }
    if (verdict.verdict === 'refuse') return { refuse: this.#refusal(verdict.message, 'request') }
    this.#replace(texts.slots, verdict.texts)
    return { replace: texts.request }
  }

  async item({ index, texts }: AnswerItem): Promise<ItemVerdict> {
    const asked = texts.map(({ path, text }, id) => ({ id, place: `output[${index}].${path}`, role: 'assistant', fixed: false, text }))
    const verdict = await this.#ask('output', asked, [])
    if (verdict.verdict === 'allow') return { pass: true }
    if (verdict.verdict === 'refuse') return { refuse: this.#refusal(verdict.message, 'answer') }
    const replaced = texts.map(({ text }) => text)
    const slots = texts.map(({ path, text }, id): RequestText => ({
      path,
      text,
      kind: 'text',
      replace: other => void (replaced[id] = other),
    }))
    this.#replace(slots, verdict.texts)
    return { replace: replaced }
  }

  #ask(event: Question['event'], texts: readonly AskedText[], unreadable: readonly string[]): Promise<Verdict> {
    return this.#webhook.service.ask({ event, model: this.#model, texts, unreadable }, this.#context, this.#asked++)
  }

  #replace(slots: readonly RequestText[], texts: readonly { readonly id: number; readonly text: string }[]): void {
    const { plugin } = this.#webhook
    const left = new Map(slots.entries())
    for (const { id, text } of texts) {
      const slot = left.get(id)
      if (!slot) throw new PluginError(plugin, `cannot use its service: it replaced text ${id}, which it did not get, or twice`)
      if (slot.kind === 'fixed') throw new PluginError(plugin, `cannot use its service: it replaced text ${id}, which is fixed`)
      left.delete(id)
      slot.replace(text)
    }
  }

  #refusal(message: string | undefined, what: 'request' | 'answer'): GatewayError {
    const { name, secrets } = this.#webhook
    let told = (message ?? '').slice(0, maxMessageLength).toWellFormed().trim()
    for (const secret of secrets) told = told.replaceAll(secret, '***')
    return invalidRequest(
      told === ''
        ? wording`The guardrail "${own(name)}" refused this ${own(what)}.`
        : new Wording(told, `The guardrail "${name}" refused this ${what}: …`),
      what === 'request' ? 'input' : undefined,
      'invalid_prompt',
    )
  }
}

function askedText({ path, text, kind }: RequestText, id: number, role: string | null): AskedText {
  return { id, place: path, role, fixed: kind === 'fixed', text }
}
