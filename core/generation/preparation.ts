import type { Calls } from '../call/calls.ts'
import type { Operation } from '../call/operation.ts'
import type { CallToWrap } from '../contracts/call-wrapper.ts'
import type { Item } from '../contracts/items.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RequestEnvelope } from '../contracts/request-envelope.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { invalidRequest } from '../foundation/errors.ts'
import { wording } from '../foundation/wording.ts'
import { freezeDeeply } from '../foundation/freeze.ts'
import { applyInputGuards, readsContent, type OpenGuard } from '../guards/input-guards.ts'
import type { Candidate, Planner } from '../routing/plan.ts'
import { isPending, type Maybe } from '../runtime/pending.ts'
import type { AllowedHosts } from '../upstream/media/media-address.ts'
import type { Compactions, PlannedCompaction } from './compaction/compactions.ts'
import type { Extended, History } from './history.ts'
import { checkMediaAddresses } from './media-addresses.ts'
import type { LoadedTools } from './tools/loaded-tools.ts'
import type { OpenTools } from './tools/open-tools.ts'
import { ToolSecrets, withoutToolSecrets } from './tools/tool-secrets.ts'

/** A request that passed every check: history added, input guards applied, candidates chosen. */
export interface Prepared {
  readonly request: GenerationRequest
  /** The same before input guards and tools changed it. */
  readonly extended: GenerationRequest
  /** The gateway's tools that it may use. */
  readonly tools: OpenTools | undefined
  /** The items that this request adds to the conversation. */
  readonly added: readonly Item[]
  /** The input of the stored answer, if it is more than `added`. */
  readonly repeated?: readonly Item[] | undefined
  readonly guards: readonly OpenGuard[]
  readonly candidates: readonly Candidate[]
  /** The fingerprints of messages that compactions of the gateway stand for. */
  readonly covered: readonly string[]
  /** The answer is a compaction, which a vendor makes. */
  readonly isTriggered: boolean
  /** The gateway compacts the conversation first. */
  readonly compaction?: PlannedCompaction
}

/** A request with its history. */
interface Drafted extends Extended {
  /** As the guardrails left it, if any applies. */
  readonly checked?: GenerationRequest
}

export interface PreparationServices {
  readonly calls: Calls
  readonly history: History
  readonly planner: Planner
  readonly tools: LoadedTools
  readonly compactions: Compactions
  /** From the settings. */
  readonly mediaHosts: AllowedHosts
}

/**
 * The steps of a call before anything is reserved or sent, for calls whose request is a generation's. They throw 400, 402, 403, 422 or 503.
 * They wait only for a guardrail, a conversation to look up, or input to count.
 */
export abstract class Preparation<Kind extends 'generation' | 'count'> {
  abstract readonly kind: Kind
  readonly operation: Operation
  readonly context: RunContext
  protected readonly scope: RequestScope
  protected readonly asked: GenerationRequest
  /** Undefined if the request has none. */
  protected readonly toolSecrets: ToolSecrets | undefined
  protected readonly envelope: RequestEnvelope
  /** Nothing will be sent. */
  readonly #dryRun: boolean
  readonly #services: PreparationServices

  constructor(services: PreparationServices, scope: RequestScope, asked: GenerationRequest, envelope: RequestEnvelope, dryRun: boolean) {
    this.#services = services
    this.scope = scope
    this.toolSecrets = ToolSecrets.of(asked)
    this.asked = this.toolSecrets ? withoutToolSecrets(asked) : asked
    this.envelope = envelope
    this.#dryRun = dryRun
    this.operation = services.calls.open(scope, asked.model)
    this.context = this.operation.context
  }

  get session(): string | undefined {
    return this.asked.session_id ?? this.asked.prompt_cache_key
  }

  check(): undefined {
    checkMediaAddresses(this.asked.input, this.#services.mediaHosts)
    this.#services.tools.checkBrought(this.asked.input)
  }

  extend(guards: readonly OpenGuard[]): Maybe<Drafted> {
    const { asked } = this
    if (guards.length > 0 && !Object.isFrozen(asked)) freezeDeeply(asked)
    return this.#services.history.extend(asked, this.envelope.history, this.context.caller)
  }

  async guardInput(drafted: Drafted, guards: readonly OpenGuard[]): Promise<Drafted> {
    return { ...drafted, checked: await applyInputGuards(drafted.request, guards, this.context) }
  }

  plan(drafted: Drafted, guards: readonly OpenGuard[]): Maybe<Prepared> {
    const { request: extended, added, repeated, trigger, covered = [], checked = extended } = drafted
    const { planner, tools: loaded, compactions } = this.#services
    const { context } = this
    const request = loaded.readable(checked)
    if (checked.input !== this.asked.input) loaded.checkBrought(checked.input)
    const isGuarded = guards.some(readsContent)
    const tools = loaded.open(checked, { context, isGuarded, readable: request.input, secrets: this.toolSecrets })
    if (tools && checked.choices !== undefined)
      throw invalidRequest(
        wording`Several choices cannot be combined with tools that the gateway runs. Leave out one of the two.`,
        'choices',
      )
    const servable: Parameters<Planner['plan']>[1]['servable'] = tools && (endpoints => tools.servable(endpoints))
    const mayCompact = compactions.mayCompact(request, trigger)
    const planning = planner.plan(request, {
      record: this.scope.record,
      dryRun: this.#dryRun,
      context,
      guards,
      continues: this.envelope.history?.continues,
      ...(servable && { servable }),
      ...(mayCompact && { isUnfitted: true }),
      ...(compactions.areLoaded && { bindsCompactions: true }),
    })
    const common = { tools, added, repeated, guards, covered, isTriggered: trigger !== undefined }
    const prepared = (candidates: readonly Candidate[]): Maybe<Prepared> => {
      if (this.#dryRun || (!mayCompact && !trigger)) return { request, extended, candidates, ...common }
      return compactions.plan({ request, extended, candidates, trigger, context, guards }).then(plan => ({ ...plan, ...common }))
    }
    return isPending(planning) ? planning.then(prepared) : prepared(planning)
  }

  toWrap({ request, candidates }: Prepared): CallToWrap<Kind, GenerationRequest> {
    return { kind: this.kind, request, endpoints: candidates.map(({ endpoint }) => endpoint) }
  }
}
