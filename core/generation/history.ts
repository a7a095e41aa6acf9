import { wire } from '../container.ts'
import type { Item } from '../contracts/items.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import { ResponseStore, type StoredResponse } from '../contracts/response-store.ts'
import type { Caller } from '../contracts/run-context.ts'
import { GatewayError, invalidRequest } from '../errors.ts'
import { describeError, Logger } from '../logger.ts'
import { Settings } from '../settings.ts'

/** Puts what was said before in front of a request (`previous_response_id`), and keeps what is said for the next one. */
export class History {
  readonly #responses: ResponseStore
  readonly #timeoutMs: number
  readonly #log: Logger

  static {
    wire(this, [ResponseStore, Settings, Logger])
  }

  constructor(responses: ResponseStore, { storeTimeoutMs }: Settings, log: Logger) {
    this.#responses = responses
    this.#timeoutMs = storeTimeoutMs
    this.#log = log
  }

  /** Called before the client hears of the end, so that a follow-up can be sent at once. False when the store failed or took too long. */
  async keep(owner: string, response: StoredResponse, requestId: string): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    try {
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error('the response store did not answer in time')), this.#timeoutMs)
      })
      await Promise.race([this.#responses.put(owner, response), late])
      return true
    } catch (error) {
      this.#log.error('a response could not be stored', { request: requestId, ...describeError(error) })
      return false
    } finally {
      clearTimeout(timer)
    }
  }

  async extend(request: GenerationRequest, caller: Caller): Promise<GenerationRequest> {
    const { previous_response_id: id } = request
    const earlier = id === undefined ? [] : await this.#earlier(id, caller)
    const extended = id === undefined ? request : { ...request, input: [...earlier, ...request.input] }
    checkPairs(extended.input, earlier.length)
    return extended
  }

  async #earlier(id: string, caller: Caller): Promise<readonly Item[]> {
    if (!caller.policy.logging.value) {
      throw invalidRequest(
        'previous_response_id needs request logging, which is off for this API key. Turn it on, or send the whole conversation as input.',
        'previous_response_id',
      )
    }
    const chain = await this.#responses.chain(caller.owner, id).catch((cause: unknown) => {
      throw new GatewayError({
        status: 503,
        type: 'server_error',
        code: 'server_error',
        message: 'Stored responses cannot be read at the moment. Try again.',
        cause,
      })
    })
    if (!chain) throw invalidRequest(`Previous response with id '${id}' not found.`, 'previous_response_id', 'previous_response_not_found')
    return chain.flatMap(({ input, output }) => [...input, ...output])
  }
}

/** contract/responses.md §3: each output answers an earlier call, once. The first `earlier` items are not the caller's to count. */
function checkPairs(input: readonly Item[], earlier: number): void {
  let open: Set<string> | undefined
  let answered: Set<string> | undefined
  for (const [position, item] of input.entries()) {
    const index = position - earlier
    switch (item.type) {
      case 'function_call':
      case 'custom_tool_call':
        ;(open ??= new Set()).add(item.call_id)
        break
      case 'function_call_output':
      case 'custom_tool_call_output':
        if (!open?.has(item.call_id))
          throw invalidRequest(
            `No tool call found for the output with call_id "${item.call_id}". Send the call before it, or chain with previous_response_id.`,
            `input[${index}].call_id`,
          )
        if (answered?.has(item.call_id))
          throw invalidRequest(`There is more than one output for the tool call "${item.call_id}".`, `input[${index}].call_id`)
        ;(answered ??= new Set()).add(item.call_id)
        break
      case 'item_reference':
        throw invalidRequest(`Item with id '${item.id}' not found. Send the item itself.`, `input[${index}].id`)
    }
  }
}
