import type { Masks } from '../../../core/foundation/masks.ts'
import { GatewayError } from '../../../core/foundation/errors.ts'
import { ProviderFailure } from '../../../core/contracts/provider.ts'
import { framesOf } from '../own-frames.ts'
import { changesBetween } from './changes.ts'
import { snapshotOf, type Snapshot } from './snapshot.ts'

/** The plugin that does something, and its function. */
export interface StepOf {
  readonly plugin: string
  /** The word of its extension point, such as `guardrail`. */
  readonly kind: string
  /** The name of the contribution. */
  readonly name: string
  /** The function of its contract. */
  readonly hook: string
}

/** `left`: it did nothing, or nobody waited for its end. `answered`: in the place of a model. */
export type StepOutcome = 'running' | 'done' | 'changed' | 'answered' | 'left' | 'refused' | 'failed'

/** The request that a step belongs to. */
export interface StepScope {
  /** By `performance.now`. */
  readonly startedMs: number
  readonly masks: Masks
  /** False until the policy of the request is known, and if it forbids that content is kept. */
  readonly showsContent: boolean
  /** Counts what is kept. False if there is no room for it. */
  hold(characters: number): boolean
  /** Something is new. */
  touch(): void
}

type Fact = string | number | boolean | null

const maxEvents = 1_000
/** The types of events of the contract: a type that a plugin made up may be content. */
const eventTypes = new Set(
  'model text refusal annotation reasoning reasoning-state item-end tool-call tool-input search item compaction extra warning choice usage finish'.split(
    ' ',
  ),
)

/** A function of a plugin, while it runs and afterwards. Only `show`, `changed` and `event` keep content, and only if the policy allows it. */
export class Step {
  readonly of: StepOf
  readonly parent: Step | undefined
  id = 0
  readonly #scope: StepScope
  readonly #begunMs = performance.now()
  #spentMs: number | undefined
  #outcome: StepOutcome = 'running'
  readonly #facts: Record<string, Fact> = {}
  readonly #contents: (Snapshot & { readonly label: string })[] = []
  readonly #changes: { readonly path: string; readonly before: Snapshot; readonly after: Snapshot }[] = []
  readonly #events: (Snapshot & { readonly atMs: number })[] = []
  readonly #eventCounts: Record<string, number> = {}
  #error: object | undefined

  constructor(scope: StepScope, of: StepOf, parent: Step | undefined) {
    this.#scope = scope
    this.of = of
    this.parent = parent
  }

  get showsContent(): boolean {
    return this.#scope.showsContent
  }

  /** Adds something that is no content. */
  fact(name: string, value: Fact | undefined): void {
    if (value !== undefined) this.#facts[name] = value
  }

  show(label: string, value: unknown): void {
    const snapshot = this.#snapshot(value)
    if (snapshot) this.#contents.push({ label, ...snapshot })
  }

  /** Ends with what the plugin made of a value. */
  changed(before: unknown, after: unknown): void {
    const changes = this.showsContent ? changesBetween(before, after) : []
    for (const change of changes) {
      const [old, next] = [this.#snapshot(change.before), this.#snapshot(change.after)]
      if (old && next) this.#changes.push({ path: change.path, before: old, after: next })
    }
    this.end('changed')
  }

  event(event: unknown): void {
    const given: unknown = typeof event === 'object' && event !== null ? Reflect.get(event, 'type') : undefined
    const type = typeof given === 'string' && eventTypes.has(given) ? given : 'other'
    this.#eventCounts[type] = (this.#eventCounts[type] ?? 0) + 1
    if (this.#events.length < maxEvents) {
      const snapshot = this.#snapshot(event)
      if (snapshot) this.#events.push({ atMs: performance.now() - this.#scope.startedMs, ...snapshot })
    }
    this.#scope.touch()
  }

  /** Adds to the time of a function that is called again and again. */
  spent(elapsedMs: number): void {
    this.#spentMs = (this.#spentMs ?? 0) + elapsedMs
  }

  /** Only the first end counts. */
  end(outcome: StepOutcome = 'done'): void {
    if (this.#outcome !== 'running') return
    this.#outcome = outcome
    this.#spentMs ??= performance.now() - this.#begunMs
    this.#scope.touch()
  }

  /** Ends with a refusal, or with an error. The words of either may quote the request. */
  fail(error: unknown): void {
    if (this.#outcome !== 'running') return
    const isRefusal = error instanceof GatewayError
    const { own, others } = framesOf(error)
    const message = this.#snapshot(error instanceof Error ? error.message : String(error))
    this.#error = {
      class: error instanceof Error ? nameOf(error, this.showsContent) : typeof error,
      ...(isRefusal && { status: error.status, code: error.code }),
      ...(ProviderFailure.is(error) && { kind: error.kind, status: error.status ?? null }),
      ...(message && { message }),
      ...(!isRefusal && { frames: [...own, ...others].slice(0, 12), ownFrames: own.length }),
    }
    this.end(isRefusal ? 'refused' : 'failed')
  }

  toJSON(): object {
    return {
      id: this.id,
      parent: this.parent?.id ?? null,
      ...this.of,
      atMs: this.#begunMs - this.#scope.startedMs,
      elapsedMs: this.#spentMs ?? null,
      outcome: this.#outcome,
      facts: this.#facts,
      contents: this.#contents,
      changes: this.#changes,
      events: this.#events,
      eventCounts: this.#eventCounts,
      error: this.#error ?? null,
    }
  }

  /** Undefined if the policy forbids keeping content, or the inspector is full. */
  #snapshot(value: unknown): Snapshot | undefined {
    if (!this.#scope.showsContent) return undefined
    const snapshot = snapshotOf(value, this.#scope.masks)
    return this.#scope.hold(snapshot.text.length) ? snapshot : undefined
  }
}

/** Anybody may have set it to anything. */
function nameOf({ name }: Error, mayShow: boolean): string {
  return mayShow || /^[A-Z]\w{2,40}(?:Error|Failure)$/.test(name) ? name : 'Error'
}
