import { storeServiceNames, storeServices, type StoreService } from '../contracts/store-services.ts'
import type { StoreTime } from '../contracts/vitals.ts'
import { systemClock } from '../foundation/clock.ts'
import type { Token } from '../foundation/token.ts'
import { isPending } from '../runtime/pending.ts'

type Counted = { -readonly [N in keyof StoreTime]: StoreTime[N] }

/** Metrics are read several times for each request, in memory, and never waited for. */
const untimed: StoreService = 'metrics'

/** Times the calls of stores, if somebody wants to know. If nobody does, the stores are used as they are. */
export class StoreTimes {
  isWanted = false
  readonly #counted: Counted[] = []

  /** The implementation, or one that is timed. */
  timed<T>(service: Token<any>, implementation: T): T {
    const name = storeServiceNames.find(each => storeServices[each] === service)
    if (!this.isWanted || name === undefined || name === untimed) return implementation
    const counted = { service: name, calls: 0, failed: 0, totalMs: 0 }
    this.#counted.push(counted)
    return timing(implementation as object, counted) as T
  }

  all(): readonly StoreTime[] {
    return this.#counted.map(counted => ({ ...counted }))
  }
}

/** Has the same members, whose functions are timed. They are looked up once, because each request asks stores several times. */
function timing(implementation: object, counted: Counted): object {
  const timed = {}
  for (const name of membersOf(implementation)) {
    const member: unknown = Reflect.get(implementation, name)
    if (typeof member === 'function') Object.assign(timed, { [name]: timedCall(member.bind(implementation), counted) })
    else Object.defineProperty(timed, name, { get: () => Reflect.get(implementation, name) as unknown, enumerable: true })
  }
  return timed
}

/** Also those of its class, and of the classes that this one extends. */
function membersOf(implementation: object): ReadonlySet<string> {
  const names = new Set<string>()
  for (let each: object = implementation; each !== Object.prototype && each !== null; each = Object.getPrototypeOf(each))
    for (const name of Object.getOwnPropertyNames(each)) names.add(name)
  names.delete('constructor')
  return names
}

function timedCall(call: (...args: unknown[]) => unknown, counted: Counted): (...args: unknown[]) => unknown {
  return (...args) => {
    const start = systemClock.elapsed()
    const over = (isFailed: boolean): void => {
      counted.calls++
      counted.totalMs += systemClock.elapsed() - start
      if (isFailed) counted.failed++
    }
    let answer: unknown
    try {
      answer = call(...args)
    } catch (error) {
      over(true)
      throw error
    }
    if (!isPending(answer)) {
      over(false)
      return answer
    }
    const waiting = Promise.resolve(answer)
    waiting.then(
      () => over(false),
      () => over(true),
    )
    return waiting
  }
}
