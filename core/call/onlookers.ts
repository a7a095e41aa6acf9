import type { CallWrap } from '../contracts/call-wrapper.ts'
import type { GenerationEvent } from '../contracts/events.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { isPending, type Maybe } from '../runtime/pending.ts'
import { wrapperFailed, type LoadedWrapper } from './loaded-wrapper.ts'

/** A wrapper that has to do with a call. */
export interface OpenWrap {
  readonly by: LoadedWrapper
  readonly wrap: CallWrap<unknown, never> & { write?(event: GenerationEvent): void }
}

/** The wrappers that look at one answer. One that fails sees no more of it. */
export class Onlookers {
  /** The name of the wrapper that answers. */
  readonly answeredBy: string | undefined
  readonly #context: RunContext
  #open: readonly OpenWrap[]
  #failed: Set<OpenWrap> | undefined

  static of(open: readonly OpenWrap[], context: RunContext, answeredBy: string | undefined): Onlookers | undefined {
    return open.length > 0 ? new Onlookers(open, context, answeredBy) : undefined
  }

  private constructor(open: readonly OpenWrap[], context: RunContext, answeredBy: string | undefined) {
    this.#open = open
    this.#context = context
    this.answeredBy = answeredBy
  }

  write(event: GenerationEvent): void {
    for (const each of this.#open) this.#tell(each, () => each.wrap.write?.(event))
  }

  /** Call once. `answered`: the answer, which is complete and delivered; undefined if the call failed or the answer was cut short. */
  over(answered: object | undefined): void {
    const open = this.#open
    this.#open = []
    const told = answered && (Object.freeze({ ...answered, by: this.answeredBy }) as never)
    for (const each of open) this.#tell(each, () => (told ? each.wrap.end?.(told) : each.wrap.fail?.()))
  }

  #tell(open: OpenWrap, tell: () => Maybe<void>): void {
    try {
      const telling = tell()
      if (isPending(telling)) Promise.resolve(telling).catch(error => this.#fails(open, error))
    } catch (error) {
      this.#fails(open, error)
    }
  }

  /** Logs the first failure. Promises of `write` may reject one after the other. */
  #fails(open: OpenWrap, error: unknown): void {
    if (this.#failed?.has(open)) return
    ;(this.#failed ??= new Set()).add(open)
    this.#open = this.#open.filter(each => each !== open)
    wrapperFailed(open.by, this.#context, error)
  }
}
