import type { Attempt } from '../call/attempts/attempt.ts'
import { soundUsage } from '../billing/cost.ts'
import { needOf, type TokenNeed } from '../billing/token-need.ts'
import type { UnreportedUsage } from '../billing/unreported-usage.ts'
import type { TokenUsage } from '../contracts/events.ts'
import type { Provider } from '../contracts/provider.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { describePluginError } from '../foundation/logger.ts'
import type { Registry } from '../framework/registry.ts'
import { withoutExtras } from '../guards/without-extras.ts'
import type { Reservation } from '../limits/reservation.ts'
import { dialectOf } from '../routing/dialects.ts'
import type { Candidate } from '../routing/plan.ts'
import type { Maybe } from '../runtime/pending.ts'
import { billableUsage, withinLimit } from './billable-usage.ts'
import { isChecked } from './lowering/format.ts'
import { showsProgress } from './lowering/progress.ts'
import type { Payer } from './payer.ts'
import type { RaisedEvent } from './raised-event.ts'
import type { Said } from './said.ts'

/** A report of fewer tokens than this makes plausible was not of the whole reply. */
const maxCharactersPerToken = 8
const framingCharacters = 64

/** The payer of a reply, and the means to count its tokens if the provider does not report them. */
export interface CostScope {
  readonly request: GenerationRequest
  readonly context: RunContext
  readonly payer: Payer
  /** The answer so far. The reply is written to it as it is read. */
  readonly said: Said
  readonly reservation: Reservation | undefined
  readonly unreported: UnreportedUsage
  /** Names the plugin of a provider. */
  readonly providers: Pick<Registry<Provider>, 'pluginOf'>
}

/** The cost of one reply: the usage that its provider reports, and the output since. */
export class ReplyCost {
  readonly #scope: CostScope
  readonly #attempt: Attempt<RaisedEvent>
  /** The length of the answer before this reply. */
  readonly #saidBefore: number
  #hasUsage = false
  #usage: TokenUsage | undefined
  /** `#usage` made plausible, once someone has asked for it. */
  #sound: TokenUsage | undefined
  #isChecked = false
  /** The length of the answer when `#usage` arrived. */
  #saidAtUsage = 0
  /** Of the reports before `#usage`. */
  #maxOutput = 0
  #isBilled = false

  constructor(scope: CostScope, attempt: Attempt<RaisedEvent>) {
    this.#scope = scope
    this.#attempt = attempt
    this.#saidBefore = scope.said.characters
  }

  get isBilled(): boolean {
    return this.#isBilled
  }

  /** True once the model has said something. */
  get hasSaid(): boolean {
    return this.#scope.said.characters > this.#saidBefore
  }

  /** Call with each usage that the provider reports. Some report it with every piece of text. */
  report(usage: TokenUsage): void {
    const before = this.#usage?.output
    if (Number.isFinite(before) && before! > this.#maxOutput) this.#maxOutput = before!
    this.#hasUsage = true
    this.#usage = usage
    this.#isChecked = false
    this.#saidAtUsage = this.#scope.said.characters
  }

  /** The latest report, if it can be billed. Until the reply is complete, it has at most the output that the provider was allowed. */
  usage(isComplete: boolean): TokenUsage | undefined {
    if (!this.#hasUsage) return undefined
    const { candidate, outputLimit } = this.#attempt
    if (!this.#isChecked) {
      const { context, providers } = this.#scope
      this.#isChecked = true
      this.#sound = billableUsage(this.#usage, context, candidate.provider.id, providers)
    }
    return this.#sound && !isComplete ? withinLimit(this.#sound, outputLimit) : this.#sound
  }

  /**
   * Adds the reply to the payer's bill: the reported usage and, if that is not all, what was said since. Returns US dollars, null if
   * unknown. At once if nothing has to be counted.
   */
  bill(isComplete: boolean, hasFinished: boolean): Maybe<number | null> {
    this.#isBilled = true
    const { payer } = this.#scope
    const { price } = this.#attempt.candidate.endpoint
    const usage = this.usage(isComplete)
    if (usage && this.#isCounted(usage, isComplete)) {
      if (hasFinished) this.#note(usage)
      return payer.bill.add(usage, price)
    }
    return payer.owe(this.#counted(usage, isComplete).then(counted => payer.bill.add(counted, price)))
  }

  /** Usage counts the output until then. For a complete reply it counts all output, unless it came first and is too small. */
  #isCounted(usage: TokenUsage, isComplete: boolean): boolean {
    if (isComplete && this.#saidAtUsage > this.#saidBefore) return true
    const { request, said } = this.#scope
    const since = said.characters - this.#saidAtUsage
    if (since === 0) return true
    // An answer that was held back to check its format follows its usage.
    const isHeld = isChecked(request, this.#attempt.candidate)
    return isComplete && (isHeld || since <= usage.output * maxCharactersPerToken + framingCharacters)
  }

  /** The next hold for this model is as large as its answers usually are. */
  #note(usage: TokenUsage): void {
    const { reservation, request, said } = this.#scope
    const { candidate } = this.#attempt
    // Holds of several choices do not grow.
    if (reservation && request.choices === undefined && showsProgress(request, candidate) !== false)
      reservation.replied(candidate.endpoint, usage, said.textsAfter(this.#saidBefore))
  }

  /** A provider that fails to tell it has withheld nothing. */
  #withheld(): readonly string[] {
    const { context, providers } = this.#scope
    const { withheld, candidate } = this.#attempt
    if (!withheld) return []
    try {
      return withheld().filter(text => typeof text === 'string')
    } catch (error) {
      const plugin = providers.pluginOf(candidate.provider.id)
      context.log.error('a provider plugin failed', { request: context.id, plugin, ...describePluginError(error, true) })
      return []
    }
  }

  async #counted(reported: TokenUsage | undefined, isComplete: boolean): Promise<TokenUsage> {
    const { request, said, unreported } = this.#scope
    const { maxOutputTokens, outputLimit, candidate } = this.#attempt
    const input = (): TokenNeed => needOf(readAt(candidate, request))
    const since = [...said.textsAfter(reported ? this.#saidAtUsage : this.#saidBefore), ...this.#withheld()]
    const least = Math.max(reported?.output ?? 0, Math.min(this.#maxOutput, outputLimit))
    // That of a complete reply counts its words, even if it came before them.
    const isEarly = isComplete && this.#saidAtUsage === this.#saidBefore
    const base = reported && soundUsage({ ...reported, output: isEarly ? 0 : least })
    const usage = await unreported.of({ input, endpoint: candidate.endpoint, reported: base, said: since, maxOutputTokens })
    return soundUsage({ ...usage, output: Math.max(usage.output, least) })
  }
}

/** Without what only the dialect of the caller can say, if the provider does not speak it. */
function readAt({ provider, endpoint }: Candidate, request: GenerationRequest): GenerationRequest {
  const isSaid = request.extra === undefined || request.extra.dialect === dialectOf(provider, endpoint)
  return isSaid ? request : withoutExtras(request).request
}
