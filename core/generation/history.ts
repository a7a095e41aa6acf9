import pTimeout, { TimeoutError } from 'p-timeout'
import { describeServiceError, late as tooLate } from '../framework/checked-service.ts'
import { wire } from '../framework/container.ts'
import type { Item, ItemReference } from '../contracts/items.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { HistoryUse } from '../contracts/request-envelope.ts'
import { RecordStore } from '../contracts/record-store.ts'
import { ResponseStore, type StoredResponse } from '../contracts/response-store.ts'
import type { FinishedAnswer, StoredResponses } from '../contracts/route.ts'
import type { Caller } from '../contracts/run-context.ts'
import { Sealer } from '../contracts/sealer.ts'
import { freezeDeeply } from '../foundation/freeze.ts'
import { Clock } from '../foundation/clock.ts'
import { GatewayError, invalidRequest } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import { Ids } from '../foundation/ids.ts'
import type { Maybe } from '../runtime/pending.ts'
import { Logger } from '../foundation/logger.ts'
import { RepeatedError } from '../foundation/repeated-error.ts'
import { Settings } from '../framework/settings.ts'
import { openDigest } from './compaction/digest.ts'
import { expanded } from './compaction/expansion.ts'
import { nothingToCompact, withoutTrigger } from './compaction/trigger.ts'
import { withIds } from './item-ids.ts'
import { pairOutputs } from './tool-outputs.ts'

/** Storing may take a second more for each of so many bytes. A million characters are about 2 MiB. */
const bytesPerSecond = 2 * 1024 * 1024

/** A request with the earlier conversation in front of its input. */
export interface Extended {
  readonly request: GenerationRequest
  /** The request's own items, with references resolved. */
  readonly added: readonly Item[]
  /** The input of the stored answer, if it is more than `added`. */
  readonly repeated?: readonly Item[]
  /** The `compaction_trigger` at the end of the input, which is left out there. */
  readonly trigger?: Item
  /** The fingerprints of messages that compactions of the gateway stand for. */
  readonly covered?: readonly string[]
}

/** A finished answer to store. */
export interface AnswerToStore {
  readonly previousId: string | undefined
  /** Every item has an id. */
  readonly input: readonly Item[]
  /** The output that the client saw, with sealed state. */
  readonly said: readonly Item[]
  readonly finished: FinishedAnswer
  /** The memory that it takes, estimated. */
  readonly bytes: number
  /** Aborts when nobody waits any longer for it to be stored. */
  readonly late: AbortController
}

/** Adds the earlier conversation to a request (`HistoryUse`, `item_reference`) and stores answers for later requests. */
export class History implements StoredResponses {
  readonly #responses: ResponseStore
  readonly #records: RecordStore
  readonly #timeoutMs: number
  readonly #clock: Clock
  readonly #ids: Ids
  readonly #sealer: Sealer
  readonly #unstored: RepeatedError
  /** The bytes of the large answers that are being stored. Others may have to wait for one of them. */
  #largeBytes = 0

  static {
    wire(this, [ResponseStore, RecordStore, Settings, Clock, Ids, Logger, Sealer])
  }

  constructor(
    responses: ResponseStore,
    records: RecordStore,
    { storeTimeoutMs }: Settings,
    clock: Clock,
    ids: Ids,
    log: Logger,
    sealer: Sealer,
  ) {
    this.#responses = responses
    this.#records = records
    this.#timeoutMs = storeTimeoutMs
    this.#clock = clock
    this.#ids = ids
    this.#sealer = sealer
    this.#unstored = new RepeatedError(log, 'could not store a response')
  }

  /** Called before the client sees the end, so that it can send a follow-up at once. Returns false if the store failed or took too long. */
  async keep(
    { key, owner, policy }: Caller,
    { previousId, input, said, finished, bytes, late }: AnswerToStore,
    requestId: string,
  ): Promise<boolean> {
    const response: StoredResponse = {
      id: finished.id,
      org: key.org,
      previousId,
      input,
      output: said,
      body: finished.body,
      createdAt: this.#clock.now(),
    }
    const largeBytes = bytes < bytesPerSecond ? 0 : bytes
    this.#largeBytes += largeBytes
    try {
      const stored = Promise.resolve(this.#responses.put(owner, response, late.signal))
      const milliseconds = this.#timeoutMs + Math.floor(this.#largeBytes / bytesPerSecond) * 1_000
      await pTimeout(stored, { milliseconds, fallback: () => late.abort() })
      if (!late.signal.aborted) return true
      const reason = tooLate(this.#responses, 'put', milliseconds)
      this.#unstored.report({
        request: requestId,
        waitedMs: milliseconds,
        ...(reason && { plugin: reason.plugin, reason: reason.message }),
      })
    } catch (error) {
      this.#unstored.report({ request: requestId, ...describeServiceError(this.#responses, 'put', error, policy.logging.value) })
    } finally {
      this.#largeBytes -= largeBytes
    }
    return false
  }

  /** At once for a request that refers to nothing earlier. */
  extend(request: GenerationRequest, history: HistoryUse | undefined, caller: Caller): Maybe<Extended> {
    const { input } = request
    if (history?.continues !== undefined || history?.thread || input.some(isReplaced)) return this.#extended(request, history, caller)
    const whole = pairOutputs(input, 0, history?.param)
    return { request: whole === input ? request : freezeDeeply({ ...request, input: whole }), added: input }
  }

  async #extended(request: GenerationRequest, history: HistoryUse | undefined, caller: Caller): Promise<Extended> {
    const input = withoutTrigger(request.input)
    const trigger = input === request.input ? undefined : request.input.at(-1)
    const references = input.filter(isReference)
    const [earlier, added] = await Promise.all([
      this.#before(history, caller),
      references.length === 0 ? input : this.#resolved(input, references, history, caller),
    ])
    const whole = [...earlier, ...added]
    const read = expanded(whole, sealed => openDigest(this.#sealer, caller, sealed))
    const { items, from, to, covered } = read ?? { items: whole, from: 0, to: 0 }
    if (trigger && items.length === 0) throw nothingToCompact()
    return {
      request: freezeDeeply({ ...request, input: pairOutputs(items, earlier.length + to - from, history?.param) }),
      added,
      ...(history?.thread?.isRepeated && { repeated: whole }),
      ...(trigger && { trigger }),
      ...(covered && { covered }),
    }
  }

  /** Items of one turn, each with an id. */
  identified(items: readonly Item[]): readonly Item[] {
    return withIds(items, this.#ids)
  }

  async find({ owner }: Caller, id: string): Promise<StoredResponse> {
    const response = await this.#read('get', owner, id)
    if (!response) throw notFound(id)
    return response
  }

  /** Its record stays, without content. */
  async remove({ owner }: Caller, id: string): Promise<void> {
    const erase = async (): Promise<void> => await this.#records.eraseContent(owner, id)
    const stored = await this.#read('get', owner, id)
    // Before the response, so that a failure can be tried again.
    if (stored) await this.#inTime(erase())
    if (!(await this.#read('delete', owner, id))) throw notFound(id)
    // It existed, but could not be read.
    if (!stored) await this.#inTime(erase())
  }

  #before(history: HistoryUse | undefined, caller: Caller): Maybe<readonly Item[]> {
    if (history?.thread) return history.thread.earlier()
    return history?.continues === undefined ? [] : this.conversation(caller, history.continues, history.param)
  }

  async conversation(caller: Caller, id: string, param: string): Promise<readonly Item[]> {
    if (!caller.policy.logging.value) {
      throw invalidRequest(
        wording`${own(param)} needs request logging, which is off for this API key. Turn it on, or send the whole conversation as input.`,
        param,
      )
    }
    const chain = await this.#read('chain', caller.owner, id)
    if (!chain) throw previousNotFound(await this.#missing(id, caller), id, param)
    return chain.flatMap(({ input, output }) => [...input, ...output])
  }

  /** The id of the response that is missing from a chain. */
  async #missing(id: string, { owner }: Caller): Promise<string> {
    const seen = new Set<string>()
    for (let next = id; ;) {
      seen.add(next)
      const previousId = (await this.#read('get', owner, next))?.previousId
      if (previousId === undefined || seen.has(previousId)) return next
      next = previousId
    }
  }

  /** Only items that this owner stored can be referenced: docs/protocol/items.md#references. */
  async #resolved(
    input: readonly Item[],
    references: readonly ItemReference[],
    history: HistoryUse | undefined,
    caller: Caller,
  ): Promise<readonly Item[]> {
    if (!history)
      throw invalidRequest(wording`Item with id '${references[0]!.id}' not found: nothing is stored here. Send the item itself.`, 'input')
    if (!caller.policy.logging.value)
      throw invalidRequest(
        wording`Item with id '${references[0]!.id}' not found: this API key has request logging off, so nothing is stored. Send the item itself.`,
        'input',
      )
    const ids = references.map(({ id }) => id)
    const found = await this.#read('items', caller.owner, ids)
    return input.map(item => {
      if (!isReference(item)) return item
      const resolved = found.get(item.id)
      if (!resolved) throw invalidRequest(wording`Item with id '${item.id}' not found.`, 'input')
      return resolved
    })
  }

  async #read<N extends 'get' | 'chain' | 'items' | 'delete'>(
    name: N,
    ...asked: Parameters<ResponseStore[N]>
  ): Promise<Awaited<ReturnType<ResponseStore[N]>>> {
    const answer = async (): Promise<any> => await Reflect.apply(this.#responses[name], this.#responses, asked)
    return await this.#inTime(answer(), name)
  }

  /** `name`: of the function of the response store. */
  async #inTime<T>(answer: Promise<T>, name?: string): Promise<T> {
    try {
      return await pTimeout(answer, { milliseconds: this.#timeoutMs })
    } catch (thrown) {
      const isLate = thrown instanceof TimeoutError && name !== undefined
      const cause = isLate ? (tooLate(this.#responses, name, this.#timeoutMs) ?? thrown) : thrown
      const message = wording`Stored responses cannot be read at the moment. Try again.`
      throw new GatewayError({ status: 503, type: 'server_error', code: 'server_error', message, cause })
    }
  }
}

function isReference(item: Item): item is ItemReference {
  return item.type === 'item_reference'
}

/** True if models do not get the item as it is. */
function isReplaced({ type }: Item): boolean {
  return type === 'item_reference' || type === 'compaction' || type === 'compaction_trigger'
}

/** Clients match on the first sentence: docs/protocol/stored-responses.md#chaining. */
function previousNotFound(missing: string, named: string, param: string): GatewayError {
  const message =
    missing === named
      ? wording`Previous response with id '${named}' not found.`
      : wording`Previous response with id '${missing}' not found: '${named}' continues it, and it was deleted or has expired. Send the conversation as input.`
  return invalidRequest(message, param, 'previous_response_not_found')
}

function notFound(id: string): GatewayError {
  return new GatewayError({
    status: 404,
    type: 'invalid_request_error',
    code: 'not_found',
    message: wording`Response with id '${id}' not found.`,
    param: 'id',
  })
}
