import type { LiveAnswer } from '../../call/live-answer.ts'
import type { Compactor } from '../../contracts/compactor.ts'
import type { GenerationRequest } from '../../contracts/request.ts'
import type { Warning } from '../../contracts/route.ts'
import type { RunContext } from '../../contracts/run-context.ts'
import type { Sealer } from '../../contracts/sealer.ts'
import { GatewayError } from '../../foundation/errors.ts'
import type { Ids } from '../../foundation/ids.ts'
import { applyInputGuards } from '../../guards/input-guards.ts'
import { refuseNewFeatures } from '../../guards/new-features.ts'
import type { ContextWindow } from '../../routing/context-window.ts'
import type { Candidate } from '../../routing/plan.ts'
import type { Cancellation } from '../../runtime/cancellation.ts'
import type { ModelCall } from '../model-call.ts'
import type { ModelReply } from '../model-reply.ts'
import type { Prepared } from '../preparation.ts'
import type { LoadedTools } from '../tools/loaded-tools.ts'
import { fittingOf, type PlannedCompaction } from './compactions.ts'
import { digestOf } from './digest-of.ts'
import { sealDigest } from './digest.ts'
import { summaryMessage } from './summary-message.ts'
import { Summary, SummaryFailure } from './summary.ts'

export interface CompactingScope {
  readonly compactor: Compactor
  readonly contextWindow: ContextWindow
  readonly sealer: Sealer
  readonly ids: Ids
  readonly tools: LoadedTools
  readonly context: RunContext
  readonly cancellation: Cancellation
  readonly memory: LiveAnswer
  /** The most characters that a guardrail may return in place of a summary. */
  readonly maxCharacters: number
}

/** A conversation after the attempt to compact it. */
export interface Compacted {
  /** The request that is left to answer. */
  readonly prepared: Prepared
  /** The `encrypted_content`. Absent if the conversation could not be compacted, and is answered as it is. */
  readonly sealed?: string
  /** The last reply of a model that summarized. */
  readonly reply?: ModelReply
  readonly warnings: readonly Warning[]
}

/** Compacts the conversation of one request, before it is answered. */
export class Compacting {
  readonly #planned: PlannedCompaction
  readonly #prepared: Prepared
  readonly #scope: CompactingScope
  readonly #summary: Summary

  constructor(planned: PlannedCompaction, prepared: Prepared, scope: CompactingScope) {
    this.#planned = planned
    this.#prepared = prepared
    this.#scope = scope
    this.#summary = new Summary(planned, prepared, scope)
  }

  /** The candidates that may summarize. */
  get candidates(): readonly Candidate[] {
    return this.#planned.candidates
  }

  /** The first request to a model, for what has to be held for it. Throws a 400 for a conversation that cannot be summarized. */
  open(): Promise<GenerationRequest> {
    return this.#summary.open()
  }

  async run(call: ModelCall): Promise<Compacted> {
    try {
      return await this.#compacted(call)
    } catch (error) {
      if (!(error instanceof SummaryFailure)) throw error
      return await this.#uncompacted(error.reason, call)
    }
  }

  async #compacted(call: ModelCall): Promise<Compacted> {
    const { outline, isAll } = this.#planned
    const { sealer, context } = this.#scope
    const { text, reply, parts } = await this.#summary.made(call)
    const { candidate } = reply.attempt
    const { provider, model } = candidate.endpoint
    context.note('compaction', { provider, model, parts })
    const digest = digestOf(text, outline, this.#prepared.covered, this.#scope.compactor.maxKeptTokens)
    const sealed = sealDigest(sealer, context.caller, digest)
    const warnings = parts === 1 ? [] : [inParts(parts)]
    if (isAll) return { prepared: this.#prepared, sealed, reply, warnings }
    const input = [...outline.instructions, ...outline.kept.map(({ item }) => item), summaryMessage(text), ...outline.tail]
    const prepared = await this.#smaller({ ...this.#prepared.extended, input }, candidate)
    call.nextRound(prepared.request)
    return { prepared, sealed, reply, warnings }
  }

  /** Guardrails see what the model is going to see. */
  async #smaller(extended: GenerationRequest, first: Candidate): Promise<Prepared> {
    const { context, tools, contextWindow } = this.#scope
    const { guards, request, candidates } = this.#prepared
    const checked = guards.length > 0 ? await applyInputGuards(extended, guards, context) : extended
    refuseNewFeatures(checked, request, context.caller.policy)
    const readable = tools.readable(checked)
    const fitting = await fittingOf(contextWindow, candidates, readable)
    const led = fitting.includes(first) ? [first, ...fitting.filter(other => other !== first)] : fitting
    return { ...this.#prepared, extended, request: readable, candidates: led }
  }

  /** Compacting was to help with an answer, which is still possible as long as the conversation fits a context window. */
  async #uncompacted(reason: GatewayError, call: ModelCall): Promise<Compacted> {
    const { context, contextWindow } = this.#scope
    const { request, candidates } = this.#prepared
    if (this.#planned.isAll) throw reason
    const fitting = await fittingOf(contextWindow, candidates, request).catch(() => Promise.reject(reason))
    context.note('compaction', { failed: reason.code })
    call.nextRound(request)
    return { prepared: { ...this.#prepared, candidates: fitting }, warnings: [notCompacted] }
  }
}

const notCompacted: Warning = { param: 'context_management', message: 'the conversation could not be summarized, and was sent as a whole' }

function inParts(parts: number): Warning {
  return {
    param: 'input',
    message: `summarized in ${parts} parts, each with the summary of those before it: it is longer than the context window`,
  }
}
