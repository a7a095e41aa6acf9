import type {
  AttemptObservation,
  BegunAttempt,
  BegunCall,
  CallObservation,
  CallObserver,
  ClosedRequest,
  EndedAttempt,
} from '../contracts/call-observer.ts'
import { PluginError } from '../foundation/errors.ts'
import { isObject } from '../foundation/json.ts'
import { kindOf } from '../foundation/kind-of.ts'
import { describePluginError, type Logger } from '../foundation/logger.ts'
import { RepeatedError } from '../foundation/repeated-error.ts'
import { isPending } from '../runtime/pending.ts'
import { isTraceparent } from './trace-context.ts'

/** The functions of an observer. Each has its failures logged apart. */
type ObserverHook = 'begin' | 'closed' | keyof CallObservation

/** One observer of a call. */
export interface Observing {
  readonly by: LoadedObserver
  readonly observation: CallObservation
}

/** As an observer returned it. */
export type StartedAttempt = NonNullable<ReturnType<NonNullable<CallObservation['attempt']>>>

/** An observer that a plugin added. Nothing that it throws leaves this class. */
export class LoadedObserver {
  readonly observer: CallObserver
  readonly #plugin: string
  readonly #log: Logger
  readonly #errors = new Map<ObserverHook, RepeatedError>()

  constructor(observer: CallObserver, plugin: string, log: Logger) {
    this.observer = observer
    this.#plugin = plugin
    this.#log = log
  }

  begin(call: BegunCall, earlier: CallObservation | undefined): CallObservation | undefined {
    try {
      const observation = this.#answer('begin', this.observer.begin(call, earlier))
      if (observation === undefined || isObject(observation)) return observation
      throw this.#bad('begin', 'an object or undefined', kindOf(observation))
    } catch (error) {
      return this.#failed('begin', error)
    }
  }

  closed(request: ClosedRequest, observation: CallObservation | undefined): void {
    try {
      this.#answer('closed', this.observer.closed?.(request, observation))
    } catch (error) {
      this.#failed('closed', error)
    }
  }

  /** The first `traceparent` that an observer gives is that of `followed`. */
  startsAttempt(
    observation: CallObservation,
    begun: BegunAttempt,
    followed: { traceparent: string | undefined },
  ): StartedAttempt | undefined {
    try {
      const started: unknown = this.#answer('attempt', observation.attempt?.(begun))
      if (started === undefined || typeof started === 'function') return started as StartedAttempt | undefined
      const expected = 'a function, undefined, or { end, traceparent }'
      if (!isObject(started) || typeof started['end'] !== 'function') throw this.#bad('attempt', expected, kindOf(started))
      const attempt = started as unknown as AttemptObservation
      const { traceparent } = attempt
      if (traceparent !== undefined && !isTraceparent(traceparent))
        throw this.#bad('attempt', 'a traceparent of W3C Trace Context, version 00', kindOf(traceparent))
      followed.traceparent ??= traceparent
      return attempt
    } catch (error) {
      return this.#failed('attempt', error)
    }
  }

  endsAttempt(started: StartedAttempt, ended: EndedAttempt): void {
    try {
      this.#answer('attempt', typeof started === 'function' ? started(ended) : started.end(ended))
    } catch (error) {
      this.#failed('attempt', error)
    }
  }

  /** Tells of something that begins. Returns what to call when it ends, if the observer wants to know. */
  starts<Ended>(hook: 'toolRound' | 'tool', start: () => unknown): ((ended: Ended) => void) | undefined {
    try {
      const end = this.#answer(hook, start())
      if (end === undefined || typeof end === 'function') return end as (ended: Ended) => void
      throw this.#bad(hook, 'a function or undefined', kindOf(end))
    } catch (error) {
      return this.#failed(hook, error)
    }
  }

  /** Tells of something, such as an end, that the observer has no answer to. */
  tells(hook: ObserverHook, tell: () => unknown): void {
    try {
      this.#answer(hook, tell())
    } catch (error) {
      this.#failed(hook, error)
    }
  }

  /** False if the observation has no such function, so that nothing need be made for it. */
  hears(observation: CallObservation, hook: keyof CallObservation): boolean {
    try {
      return observation[hook] !== undefined
    } catch (error) {
      return this.#failed(hook, error) ?? false
    }
  }

  /** Nobody waits for an observer. A promise of it must not reject unseen. */
  #answer<T>(hook: ObserverHook, answer: T): T {
    if (!isPending(answer)) return answer
    Promise.resolve(answer).catch(() => {})
    throw this.#bad(hook, 'no promise', 'a promise')
  }

  #failed(hook: ObserverHook, error: unknown): undefined {
    let errors = this.#errors.get(hook)
    if (!errors) this.#errors.set(hook, (errors = new RepeatedError(this.#log, 'a call observer failed')))
    errors.report({ observer: this.observer.name, plugin: this.#plugin, in: hook, ...describePluginError(error, false, true) })
  }

  #bad(hook: ObserverHook, expected: string, got: string): PluginError {
    return new PluginError(this.#plugin, `returned ${got} from ${hook} of a call observer: expected ${expected}`)
  }
}
