import { isObject, ProviderFailure } from '../../core/index.ts'
import { isPending, wording } from '../../core/kit.ts'
import type { Anatomy, Body } from './anatomy.ts'
import type { Departures } from './departures.ts'
import { memberPath, valueAt, type MemberPath } from './member-path.ts'
import type { ErrorReader } from './told-error.ts'
import { UsageReader } from './told-usage.ts'

/** A body as the dialect says it. */
export interface ReadBody {
  readonly body: unknown
  readonly isChanged: boolean
}

/** Turns a host's replies and events into those of its dialect. */
export class ReplyReader {
  readonly #departures: Departures
  readonly #anatomy: Anatomy
  readonly #errors: ErrorReader | undefined
  readonly #wrapped: MemberPath | undefined
  readonly #usage: UsageReader | undefined
  readonly #usagePaths: readonly MemberPath[]

  constructor(departures: Departures, anatomy: Anatomy, errors: ErrorReader | undefined) {
    const { wrapped, usage } = departures
    this.#departures = departures
    this.#anatomy = anatomy
    this.#errors = errors
    this.#wrapped = wrapped === undefined ? undefined : memberPath(wrapped)
    this.#usage = usage && new UsageReader(usage, anatomy.includesCache)
    const at = memberPath(usage?.at ?? 'usage')
    this.#usagePaths = anatomy.holder === undefined ? [at] : [[anatomy.holder, ...at], at]
  }

  /** Undefined for a body to skip. Throws `ProviderFailure` for one that is an error. */
  read(given: unknown, upstream: () => string): ReadBody | undefined {
    this.#refuse(given, upstream)
    const { finishReasons, changeReply } = this.#departures
    const inner = this.#wrapped ? valueAt(given, this.#wrapped) : given
    if (!isObject(inner)) return this.#wrapped ? this.#countsAlone(given) : { body: given, isChanged: false }
    if (inner !== given) this.#refuse(inner, upstream)
    const body: unknown = changeReply ? changeReply(inner) : inner
    if (body === undefined) return undefined
    if (!isBody(body))
      throw new ProviderFailure({
        kind: 'protocol',
        message: wording`The provider's \`changeReply\` returned neither an object nor undefined.`,
      })
    const hasCounts = this.#putUsage(body, given)
    const hasStops = finishReasons !== undefined && this.#putStops(body)
    return { body, isChanged: inner !== given || changeReply !== undefined || hasCounts || hasStops }
  }

  /** An event may have nothing but the counts, which stand outside of what is wrapped. */
  #countsAlone(given: unknown): ReadBody | undefined {
    const body: Body = {}
    return this.#putUsage(body, given) ? { body, isChanged: true } : undefined
  }

  #refuse(body: unknown, upstream: () => string): void {
    const error = this.#errors?.errorIn(body)
    if (error !== undefined) throw this.#errors!.inside(error, this.#anatomy.failureInside(error, upstream()))
  }

  /** The counts may stand outside of what is wrapped. */
  #putUsage(body: Body, given: unknown): boolean {
    if (!this.#usage) return false
    for (const path of this.#usagePaths) {
      const holder = valueAt(body, path) ?? (body === given ? undefined : valueAt(given, path))
      const counts = holder === undefined ? undefined : this.#usage.read(holder)
      if (!counts) continue
      this.#anatomy.putUsage(body, counts)
      return true
    }
    return false
  }

  #putStops(body: Body): boolean {
    const reasons = this.#departures.finishReasons!
    let isChanged = false
    for (const stop of this.#anatomy.stops(body)) {
      if (!Object.hasOwn(reasons, stop.reason)) continue
      const meant = reasons[stop.reason]!
      if (typeof meant === 'object')
        throw new ProviderFailure({ kind: meant.failure, message: 'The provider ended its answer with an error.', vendorCode: stop.reason })
      stop.put(meant)
      isChanged = true
    }
    return isChanged
  }
}

function isBody(value: unknown): value is Body {
  return isObject(value) && !isPending(value)
}
