import { GatewayError } from '../../../core/index.ts'
import { FairQueue, own, wording } from '../../../core/kit.ts'

/** How much may be searched at the same time. */
export interface SearchLimits {
  readonly maxRequests: number
  readonly maxCharacters: number
  readonly maxRequestsPerOwner: number
  readonly maxCharactersPerOwner: number
}

/** A search checks whether its time is over, and then waits for its next turn. */
export interface Turn {
  isOver(): boolean
  /** Rejects with the reason of the signal once it is aborted: then the search must end. */
  next(): Promise<void>
}

/** Does work that can pause, and pauses when its time is over. */
export async function inTurns<T>(work: Generator<void, T>, turn: Turn): Promise<T> {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    if (turn.isOver()) await turn.next()
  }
}

interface Waiting {
  start(): void
}

interface Load {
  requests: number
  characters: number
}

const maxTurnMs = 2

/**
 * The searches in progress. They share turns of the event loop, each at most `maxTurnMs` long, so that other requests continue in
 * between. Owners take turns, so none waits for the long texts of another.
 */
export class Searches {
  readonly #limits: SearchLimits
  readonly #queue = new FairQueue<Waiting>()
  readonly #byOwner = new Map<string, Load>()
  readonly #all: Load = { requests: 0, characters: 0 }
  #isRunning = false
  #turnBegan = 0

  constructor(limits: SearchLimits) {
    this.#limits = limits
  }

  /** Throws a 429 or a 503 if too much is being searched. A single text may have any length. */
  async run<T>(owner: string, characters: number, signal: AbortSignal, search: (turn: Turn) => Promise<T>): Promise<T> {
    const load = this.#enter(owner, characters)
    let isMine = false
    const wait = async (): Promise<void> => {
      await this.#turn(owner, signal)
      isMine = true
    }
    try {
      await wait()
      return await search({
        isOver: () => performance.now() - this.#turnBegan >= maxTurnMs,
        next: () => {
          isMine = false
          this.#done(owner)
          return wait()
        },
      })
    } finally {
      if (isMine) this.#done(owner)
      this.#leave(owner, load, characters)
    }
  }

  #enter(owner: string, characters: number): Load {
    const { maxRequests, maxCharacters, maxRequestsPerOwner, maxCharactersPerOwner } = this.#limits
    const load = this.#byOwner.get(owner) ?? { requests: 0, characters: 0 }
    if (isFull(load, characters, maxRequestsPerOwner, maxCharactersPerOwner))
      throw tooMuchOfOwner(maxRequestsPerOwner, maxCharactersPerOwner)
    if (isFull(this.#all, characters, maxRequests, maxCharacters)) throw tooMuch()
    this.#byOwner.set(owner, load)
    for (const each of [load, this.#all]) {
      each.requests++
      each.characters += characters
    }
    return load
  }

  #leave(owner: string, load: Load, characters: number): void {
    for (const each of [load, this.#all]) {
      each.requests--
      each.characters -= characters
    }
    if (load.requests === 0) this.#byOwner.delete(owner)
  }

  #turn(owner: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason)
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#queue.remove(owner, job)
        reject(signal.reason)
      }
      const job: Waiting = {
        start() {
          signal.removeEventListener('abort', leave)
          resolve()
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#queue.add(owner, job)
      if (!this.#isRunning) this.#next(performance.now())
    })
  }

  /** The next search begins at once if time is left of this turn of the event loop. */
  #done(owner: string): void {
    this.#queue.done(owner)
    if (performance.now() - this.#turnBegan < maxTurnMs) this.#next(this.#turnBegan)
    else setImmediate(() => this.#next(performance.now()))
  }

  #next(turnBegan: number): void {
    this.#turnBegan = turnBegan
    const job = this.#queue.next()
    this.#isRunning = job !== undefined
    job?.start()
  }
}

function isFull({ requests, characters }: Load, added: number, maxRequests: number, maxCharacters: number): boolean {
  return requests >= maxRequests || (requests > 0 && characters + added > maxCharacters)
}

const retryAfterMs = 1_000

function tooMuchOfOwner(requests: number, characters: number): GatewayError {
  return new GatewayError({
    status: 429,
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    message: wording`Too many requests of this API key's owner are being searched for personal data: at most ${own(requests)} requests with ${own(characters)} characters in total may be searched at the same time. Try again in a moment.`,
    reason: { kind: 'concurrency' },
    retryAfterMs,
  })
}

function tooMuch(): GatewayError {
  return new GatewayError({
    status: 503,
    type: 'server_error',
    code: 'server_error',
    message: wording`The gateway is already searching its maximum of text for personal data. Try again in a moment.`,
    reason: { kind: 'overload' },
    transient: true,
    retryAfterMs,
  })
}
