import { Compactor } from '../../contracts/compactor.ts'
import type { Item } from '../../contracts/items.ts'
import type { GenerationRequest } from '../../contracts/request.ts'
import type { RunContext } from '../../contracts/run-context.ts'
import { GatewayError } from '../../foundation/errors.ts'
import { wire, type Dependencies } from '../../framework/container.ts'
import type { OpenGuard } from '../../guards/input-guards.ts'
import { ContextWindow } from '../../routing/context-window.ts'
import { Planner, type Candidate } from '../../routing/plan.ts'
import { mayExceed } from '../../tokens/bound.ts'
import { schemasOf, textsOf } from '../../tokens/input-texts.ts'
import { estimateOtherInput } from '../../tokens/other-input.ts'
import { noCompactor } from './no-compactor.ts'
import { outlineOf, type Outline } from './outline.ts'
import { ending } from './trigger.ts'

const dependencies = { compactor: Compactor, contextWindow: ContextWindow, planner: Planner }

/** A conversation that the gateway is going to compact. */
export interface PlannedCompaction {
  /** Nothing is answered after it: the request ends with a `compaction_trigger`. */
  readonly isAll: boolean
  readonly outline: Outline
  /** Those that may summarize, in order. */
  readonly candidates: readonly Candidate[]
}

/** A request whose endpoints are chosen. */
export interface CompactionAsked {
  readonly request: GenerationRequest
  /** Before input guards changed it. */
  readonly extended: GenerationRequest
  readonly candidates: readonly Candidate[]
  /** The item that asks for a compaction. */
  readonly trigger: Item | undefined
  readonly context: RunContext
  readonly guards: readonly OpenGuard[]
}

/** The request as it goes on. */
export interface CompactionPlan extends Pick<CompactionAsked, 'request' | 'extended' | 'candidates'> {
  readonly compaction?: PlannedCompaction
}

/** A part of the context window for what stays as it is. */
const keptShare = 1 / 4

/** Decides who compacts a conversation, and when: docs/protocol/compaction.md. */
export class Compactions {
  readonly #compactor: Compactor
  readonly #contextWindow: ContextWindow
  readonly #planner: Planner

  static {
    wire(this, dependencies)
  }

  constructor({ compactor, contextWindow, planner }: Dependencies<typeof dependencies>) {
    this.#compactor = compactor
    this.#contextWindow = contextWindow
    this.#planner = planner
  }

  /** True if a plugin says how to compact. */
  get areLoaded(): boolean {
    return this.#compactor !== noCompactor
  }

  /** True if the gateway may have to compact. The input may then be longer than every context window. */
  mayCompact({ context_management: asked }: GenerationRequest, trigger: Item | undefined): boolean {
    return (trigger !== undefined || (asked !== undefined && asked.length > 0)) && this.areLoaded
  }

  /** Call if `mayCompact`, or if the request ends with a trigger. */
  async plan(asked: CompactionAsked): Promise<CompactionPlan> {
    const { request, extended, candidates, trigger } = asked
    if (!this.areLoaded || this.#isNative(candidates)) {
      const fitting = await this.#fitting(candidates, request)
      return trigger
        ? { request: ending(request, trigger), extended: ending(extended, trigger), candidates: fitting }
        : { request, extended, candidates: fitting }
    }
    const plain = { request: withoutManagement(request), extended: withoutManagement(extended) }
    const outline = trigger ? this.#whole(asked) : await this.#overThreshold(asked)
    if (!outline) return { ...plain, candidates: await this.#fitting(candidates, plain.request) }
    return {
      ...plain,
      candidates,
      compaction: { isAll: trigger !== undefined, outline, candidates: await this.#summarizers(asked, outline) },
    }
  }

  /** Only if all could: an item of one of them would keep the conversation from the others. */
  #isNative(candidates: readonly Candidate[]): boolean {
    return !this.#compactor.isPortable && candidates.every(({ endpoint }) => endpoint.capabilities.contextManagement === true)
  }

  #whole({ extended, candidates }: CompactionAsked): Outline | undefined {
    const { contextWindow = Infinity } = candidates[0]!.endpoint
    return outlineOf(extended.input, Math.min(this.#compactor.maxKeptTokens, contextWindow * keptShare), true)
  }

  async #overThreshold({ request, extended, candidates }: CompactionAsked): Promise<Outline | undefined> {
    const threshold = Math.min(...request.context_management!.map(({ compact_threshold }) => compact_threshold))
    const other = estimateOtherInput(request)
    if (other < threshold && !mayExceed([...textsOf(request), ...schemasOf(request)], threshold - other)) return undefined
    const { tokens } = await this.#contextWindow.count(candidates[0]!.endpoint, request)
    if (tokens + other < threshold) return undefined
    return outlineOf(extended.input, Math.min(this.#compactor.maxKeptTokens, threshold * keptShare), false)
  }

  /** The endpoints of the compactor's model, if the caller may use it for this conversation; else those of the request. */
  async #summarizers({ extended, candidates, context, guards }: CompactionAsked, { told }: Outline): Promise<readonly Candidate[]> {
    const { model } = this.#compactor
    if (model === undefined) return candidates
    const { tools } = extended
    const request = { model, input: told, ...(tools && { tools }) }
    try {
      const record = { routing: null, session: null }
      const scope = { context: withoutNotes(context), guards, record, isUnfitted: true, bindsCompactions: true }
      return await this.#planner.plan(request, scope)
    } catch (error) {
      if (!(error instanceof GatewayError) || error.status >= 500) throw error
      context.note('compaction', { model, refused: error.code })
      return candidates
    }
  }

  /** Those whose context window may be long enough. Throws a 400 if none is. */
  async #fitting(candidates: readonly Candidate[], request: GenerationRequest): Promise<readonly Candidate[]> {
    return await fittingOf(this.#contextWindow, candidates, request)
  }
}

export async function fittingOf(
  contextWindow: ContextWindow,
  candidates: readonly Candidate[],
  request: GenerationRequest,
): Promise<readonly Candidate[]> {
  const endpoints = candidates.map(({ endpoint }) => endpoint)
  const fitting = new Set(await contextWindow.fit(endpoints, request))
  return candidates.filter(({ endpoint }) => fitting.has(endpoint))
}

/** A refusal of the other model is none of the request. */
function withoutNotes(context: RunContext): RunContext {
  const { id, caller, log } = context
  return {
    id,
    caller,
    log,
    get signal() {
      return context.signal
    },
    note() {},
    keep() {},
  }
}

function withoutManagement(request: GenerationRequest): GenerationRequest {
  const { context_management: _, ...plain } = request
  return plain
}
