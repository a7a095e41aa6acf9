import type { RequestRecord } from '../../../core/contracts/log-sink.ts'
import type { Policy } from '../../../core/contracts/policy.ts'
import type { Masks } from '../../../core/foundation/masks.ts'
import { contentProblem } from './content-rule.ts'
import { Step, type StepOf, type StepScope } from './step.ts'

const maxSteps = 400
/** In characters. */
const maxContent = 4_000_000

/** One request, and what plugins did for it. It has an id once it is known which request it is. */
export class Inspection implements StepScope {
  readonly at = Date.now()
  readonly startedMs = performance.now()
  readonly masks: Masks
  id: string | undefined
  /** Counts changes. */
  version = 0
  /** The content that is kept, in characters. */
  characters = 0
  readonly #touched: () => void
  #steps: Step[] = []
  #left = 0
  #isFull = false
  #policy: Policy | undefined
  #record: RequestRecord | undefined

  constructor(masks: Masks, touched: () => void) {
    this.masks = masks
    this.#touched = touched
  }

  get showsContent(): boolean {
    return contentProblem(this.#policy) === undefined
  }

  get isClosed(): boolean {
    return this.#record !== undefined
  }

  get isEmpty(): boolean {
    return this.#steps.length === 0
  }

  admit(policy: Policy): void {
    this.#policy = policy
  }

  step(of: StepOf, parent?: Step): Step {
    const step = new Step(this, of, parent)
    if (this.#steps.length < maxSteps) step.id = this.#steps.push(step)
    else this.#left++
    this.touch()
    return step
  }

  hold(characters: number): boolean {
    if (this.characters + characters > maxContent) {
      this.#isFull = true
      return false
    }
    this.characters += characters
    return true
  }

  touch(): void {
    this.version++
    this.#touched()
  }

  close(record: RequestRecord): void {
    this.#record = record
    if (record.policy) this.#policy ??= record.policy
    this.touch()
  }

  /** For the list: no content. */
  get summary(): object {
    const record = this.#record
    return {
      id: this.id,
      at: record?.at ?? this.at,
      version: this.version,
      isOpen: !record,
      steps: this.#steps.length,
      ...(record && {
        method: record.method,
        path: record.path,
        status: record.status,
        elapsedMs: record.elapsedMs,
        firstEventMs: record.firstEventMs,
        model: record.model,
        provider: record.provider,
        keyId: record.keyId,
        inputTokens: record.inputTokens,
        outputTokens: record.outputTokens,
        costUsd: record.costUsd,
        attempts: record.attempts.length,
        errorCode: record.errorCode,
      }),
    }
  }

  toJSON(): object {
    return {
      ...this.summary,
      contentProblem: contentProblem(this.#policy) ?? null,
      leftOut: this.#left,
      isFull: this.#isFull,
      notes: this.#record?.notes ?? [],
      steps: this.#steps,
    }
  }
}
