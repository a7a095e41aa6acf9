import type { CallObservation, CallObserver } from '../contracts/call-observer.ts'
import { PluginError } from '../foundation/errors.ts'
import { isObject } from '../foundation/json.ts'
import { kindOf } from '../foundation/kind-of.ts'
import { describePluginError, type Logger } from '../foundation/logger.ts'
import { RepeatedError } from '../foundation/repeated-error.ts'
import { isPending } from '../runtime/pending.ts'

/** The functions of an observer. Each has its failures logged apart. */
type Hook = 'begin' | 'attempt' | 'toolRound' | 'end'

/** An observer that a plugin added. Nothing that it throws leaves this class. */
export class LoadedObserver {
  readonly #observer: CallObserver
  readonly #plugin: string
  readonly #log: Logger
  readonly #errors = new Map<Hook, RepeatedError>()

  constructor(observer: CallObserver, plugin: string, log: Logger) {
    this.#observer = observer
    this.#plugin = plugin
    this.#log = log
  }

  begin(call: Parameters<CallObserver['begin']>[0]): CallObservation | undefined {
    return this.run('begin', () => {
      const observation: unknown = this.#observer.begin(call)
      if (observation === undefined || (isObject(observation) && !isPending(observation))) return observation
      throw this.#bad('begin', 'an object or undefined', observation)
    })
  }

  /** Returns the function that ends what began, if the observer wants to know. */
  starts<Ended>(hook: 'attempt' | 'toolRound', start: () => unknown): ((ended: Ended) => void) | undefined {
    return this.run(hook, () => {
      const end = start()
      if (end === undefined || typeof end === 'function') return end as (ended: Ended) => void
      throw this.#bad(hook, 'a function or undefined', end)
    })
  }

  run<T>(hook: Hook, tell: () => T): T | undefined {
    try {
      return tell()
    } catch (error) {
      let errors = this.#errors.get(hook)
      if (!errors) this.#errors.set(hook, (errors = new RepeatedError(this.#log, 'a call observer failed')))
      errors.report({ observer: this.#observer.name, plugin: this.#plugin, in: hook, ...describePluginError(error, false, true) })
      return undefined
    }
  }

  #bad(hook: Hook, expected: string, got: unknown): PluginError {
    // Nobody waits for it: a rejection must not become an uncaught one.
    if (isPending(got)) Promise.resolve(got).catch(() => {})
    const given = isPending(got) ? 'a promise' : kindOf(got)
    return new PluginError(this.#plugin, `returned ${given} from ${hook} of a call observer: expected ${expected}, at once`)
  }
}
