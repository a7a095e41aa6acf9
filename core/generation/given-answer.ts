import pTimeout from 'p-timeout'
import { inTime, wrapperFailed, type LoadedWrapper } from '../call/loaded-wrapper.ts'
import { isSemantic, type FinishReason, type GenerationEvent } from '../contracts/events.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { GenerationSink } from '../contracts/route.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { GatewayError, internalError, PluginError } from '../foundation/errors.ts'
import { isObject } from '../foundation/json.ts'
import { kindOf } from '../foundation/kind-of.ts'
import { checkEvent } from './check-event.ts'
import { ExpectedChoices } from './expected-choices.ts'
import { ownTools } from './lowering/own-tools.ts'
import type { RaisedEvent } from './raised-event.ts'

export interface GivenParts {
  readonly by: LoadedWrapper
  readonly context: RunContext
  readonly request: GenerationRequest
  /** The gateway has tools for the request. The answer must not call them: nobody would run them. */
  readonly hasTools: boolean
  /** Counts the memory of the answer. Throws if it is too much. */
  readonly count: (event: GenerationEvent) => void
  /** Aborted when no more events are wanted, since a generator that waits does not notice the end of its iterator. */
  readonly stopping: AbortController
}

type Given = GenerationEvent | readonly GenerationEvent[]

/** An answer that a call wrapper gives in place of a model. */
export class GivenAnswer {
  readonly #parts: GivenParts
  readonly #iterator: AsyncIterator<Given> | Iterator<Given>
  readonly #choices: ExpectedChoices | undefined
  #list: readonly GenerationEvent[] = []
  #taken = 0
  #first: RaisedEvent | undefined
  #isOver = false

  private constructor(events: AsyncIterable<Given> | Iterable<Given>, parts: GivenParts) {
    this.#parts = parts
    const { choices } = parts.request
    if (choices !== undefined) this.#choices = new ExpectedChoices(choices, `The call wrapper "${parts.by.wrapper.name}"`)
    this.#iterator = Symbol.asyncIterator in events ? events[Symbol.asyncIterator]() : events[Symbol.iterator]()
  }

  /** Waits for the first event of the answer, so that a call can go on without an answer that has none. */
  static async open(events: unknown, parts: GivenParts): Promise<GivenAnswer> {
    if (!isEvents(events))
      throw new PluginError(parts.by.plugin, `gave ${kindOf(events)} as an answer: expected an array or an async iterable of events`)
    const answer = new GivenAnswer(events, parts)
    try {
      answer.#first = await answer.#next()
    } catch (error) {
      answer.close()
      throw error
    }
    return answer
  }

  /** Passes the events to `write`, and returns why the answer ended. Throws the caller's error: a 500 if the wrapper made a mistake. */
  async relay(write: (event: RaisedEvent) => void, sink: GenerationSink): Promise<FinishReason> {
    const { context } = this.#parts
    try {
      for (let event = this.#first!; ; event = this.#ready() ?? (await this.#next())) {
        if (context.signal.aborted) throw context.signal.reason
        if (event.type === 'finish') return event.reason
        write(event)
        if (sink.full) await pTimeout(sink.drained(), { milliseconds: Infinity, signal: context.signal })
      }
    } catch (error) {
      if (context.signal.aborted) throw context.signal.reason
      // Of a guardrail, or of the limits that apply to every answer.
      if (error instanceof GatewayError) throw error
      wrapperFailed(this.#parts.by, context, error)
      throw internalError(new PluginError(this.#parts.by.plugin, 'gave an answer that could not be used', { cause: error }))
    } finally {
      this.close()
    }
  }

  /** Tells the wrapper that no more events are wanted. */
  close(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#parts.stopping.abort()
    void Promise.resolve(this.#returned()).catch(() => {})
  }

  async #returned(): Promise<void> {
    await this.#iterator.return?.()
  }

  /** The next event that counts. Throws if the answer ends without a finish. */
  async #next(): Promise<RaisedEvent> {
    for (;;) {
      const event = this.#ready()
      if (event) return event
      const { done, value } = await this.#pulled()
      if (done) {
        this.#isOver = true
        throw this.mistake('gave an answer without a finish')
      }
      this.#list = Array.isArray(value) ? value : [value]
      // Otherwise, an endless answer without events would never let go of the thread.
      if (this.#list.length === 0) this.#parts.count({ type: 'item-end' })
      this.#taken = 0
    }
  }

  /** The next event that counts, if it is here already. */
  #ready(): RaisedEvent | undefined {
    while (this.#taken < this.#list.length) {
      const event = this.#take()
      if (event) return event
    }
    return undefined
  }

  async #pulled(): Promise<IteratorResult<Given>> {
    const { by, context } = this.#parts
    try {
      const pulling = this.#iterator.next()
      return 'then' in pulling ? await inTime(Promise.resolve(pulling), by, context) : pulling
    } catch (error) {
      // A plugin's error is not meant for the caller, even if it is a `GatewayError`.
      throw context.signal.aborted || !(error instanceof GatewayError) ? error : this.mistake('threw while it gave an answer', error)
    }
  }

  /** The event, if it can be part of an answer without a model. */
  #take(): RaisedEvent | undefined {
    const { by, count } = this.#parts
    const event = this.#list[this.#taken++]!
    checkEvent(event, () => by.plugin, this.#choices)
    const used = this.#used(event)
    count(used)
    if (!isSemantic(used) && used.type !== 'item-end') return undefined
    return used
  }

  #used(event: GenerationEvent): GenerationEvent {
    switch (event.type) {
      case 'reasoning-state':
        return { type: 'item-end' }
      case 'search': {
        const { opaque: _, ...search } = event
        return search
      }
      case 'compaction':
        throw this.mistake('gave an answer with a compaction, which is bound to the account that made it')
      case 'tool-call':
        if (this.#parts.hasTools && !this.#isOwn(event))
          throw this.mistake("gave an answer that calls a function which is not the caller's own")
        return event
      case 'finish':
        if (event.reason === 'pause') throw this.mistake('gave an answer that pauses')
        return event
      default:
        return event
    }
  }

  #isOwn({ name, namespace }: Extract<GenerationEvent, { type: 'tool-call' }>): boolean {
    return ownTools(this.#parts.request.tools).some(tool => tool.name === name && tool.namespace === namespace)
  }

  mistake(problem: string, cause?: unknown): PluginError {
    const { plugin, wrapper } = this.#parts.by
    return new PluginError(plugin, `${problem} in the call wrapper "${wrapper.name}"`, { cause })
  }
}

function isEvents(events: unknown): events is AsyncIterable<Given> | readonly GenerationEvent[] {
  return (
    Array.isArray(events) || (isObject(events) && typeof (events as Partial<AsyncIterable<Given>>)[Symbol.asyncIterator] === 'function')
  )
}
