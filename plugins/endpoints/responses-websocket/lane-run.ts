import { GatewayError, type Item, type JsonObject } from '../../../core/index.ts'
import {
  gatewayHeaders,
  noUsage,
  rateLimitHeaders,
  type Commitment,
  type Conversations,
  type GatewayServices,
  type RequestScope,
  type Warning,
} from '../../../core/kit.ts'
import type { CreateOptions } from '../responses/create.ts'
import { conversationUse, namedConversation } from '../responses/conversation.ts'
import { explained } from '../responses/explained.ts'
import { neutralRequest, publicWarning, type NeutralRequest } from '../responses/neutral-request.ts'
import { parseRequest, type ParsedRequest } from '../responses/parse.ts'
import { LaneBuilder } from './lane-builder.ts'
import { LaneThread } from './lane-thread.ts'
import type { LatestResponses } from './latest-responses.ts'
import type { MessageBody } from './message-body.ts'
import { laneFraming } from './messages.ts'
import { cancelled, noBackground, previousNotFound, wrongType } from './socket-errors.ts'

/** The parts of a connection that its runs use. */
export interface LaneRunParts {
  readonly gateway: GatewayServices
  readonly options: CreateOptions
  readonly latest: LatestResponses
  /** If a plugin keeps them. */
  readonly conversations: Conversations | undefined
}

/** One message `response.create`, from its place in a lane to the end of its response. */
export class LaneRun {
  readonly body: MessageBody
  readonly streamId: string | undefined
  readonly #parts: LaneRunParts
  readonly #message: JsonObject
  #scope: RequestScope | undefined
  #builder: LaneBuilder | undefined
  #continues: string | undefined
  #isCancelled = false

  constructor(parts: LaneRunParts, streamId: string | undefined, message: JsonObject, body: MessageBody) {
    this.#parts = parts
    this.streamId = streamId
    this.#message = message
    this.body = body
  }

  /** The headers that any reply would have. */
  about(): Readonly<Record<string, string>> {
    const scope = this.#scope
    if (!scope) return {}
    return { 'x-request-id': scope.id, ...(scope.windows && rateLimitHeaders(scope.windows, this.#parts.gateway.clock.now())) }
  }

  /** Undefined until the request was read. */
  get responseId(): string | undefined {
    return this.#builder?.id
  }

  /** Does nothing after the end. */
  cancel(): void {
    this.#isCancelled = true
    this.#scope?.cancellation.abort(cancelled())
  }

  async answer(scope: RequestScope): Promise<GatewayError | undefined> {
    this.#scope = scope
    if (this.#isCancelled) throw cancelled()
    const { gateway, options, latest, conversations } = this.#parts
    const { generate, background, ...sent } = this.#message
    if (background) throw noBackground()
    if (typeof (generate ?? true) !== 'boolean') throw wrongType('generate', 'true or false')
    const isWarmUp = generate === false
    const parsed = this.#parsed(scope, sent, isWarmUp)
    const { body } = parsed
    const conversation = namedConversation(body, scope, conversations, !isWarmUp && body.store !== false)
    const neutral = neutralRequest(body, conversation)
    const { history } = neutral.envelope
    const thread = new LaneThread({
      latest,
      lane: this.streamId ?? '',
      previousId: (this.#continues = body.previous_response_id),
      continues: history!.continues,
      lookUp: id => this.#lookUp(scope, id, history!.param),
      named: history?.thread,
      isEmpty: !isWarmUp && body.input.length === 0,
    })
    const framing = laneFraming(this.streamId, commitment => this.#opening(commitment, parsed.warnings))
    const builder = new LaneBuilder(thread, body, gateway.ids, gateway.clock, options.events, this.body, framing)
    this.#builder = builder
    if (conversation) builder.response.conversation = { id: conversation.id }
    const envelope = { ...neutral.envelope, history: { ...history!, continues: thread.continues, thread } }
    try {
      if (isWarmUp) await this.#warmUp(scope, { ...neutral, envelope }, thread, builder)
      else return await this.#generate(scope, { ...neutral, envelope }, builder)
    } finally {
      await conversation?.thread.over()
    }
    return undefined
  }

  /** After a failure, neither the response that it continues nor its own can be continued. */
  failed({ status }: GatewayError): void {
    const { latest } = this.#parts
    if (this.responseId !== undefined) latest.evict(this.responseId)
    if (this.#continues !== undefined && status !== 499) latest.evict(this.#continues)
  }

  #parsed(scope: RequestScope, sent: JsonObject, isWarmUp: boolean): ParsedRequest {
    const { gateway, options, conversations } = this.#parts
    const served = { conversations: conversationUse(scope, conversations) }
    const mayBeEmpty = isWarmUp || typeof sent['previous_response_id'] === 'string'
    const { toolTypes } = gateway
    return parseRequest({ ...sent, stream: true }, { toolTypes, unsupported: options.unsupported, served, mayBeEmpty })
  }

  /** Without logging, nothing is stored that could be found. */
  #lookUp(scope: RequestScope, id: string, param: string): Promise<readonly Item[]> {
    if (!scope.caller.policy.logging.value) throw previousNotFound(id)
    return this.#parts.gateway.responses.conversation(scope.caller, id, param)
  }

  async #generate(scope: RequestScope, { request, envelope }: NeutralRequest, builder: LaneBuilder): Promise<GatewayError | undefined> {
    const { gateway } = this.#parts
    const outcome = await gateway.generate(scope, request, builder, envelope).finished
    if (!(outcome instanceof GatewayError)) return undefined
    if (!this.body.hasBegun) return await explained(outcome, scope, gateway, this.#continues, this.#parts)
    // As a stream that fails after its 200: the peer knows, and the record has the code.
    this.failed(outcome)
    return undefined
  }

  /** Makes the checks of an answer, and asks no model. */
  async #warmUp(scope: RequestScope, { request, envelope }: NeutralRequest, thread: LaneThread, builder: LaneBuilder): Promise<void> {
    await this.#parts.gateway.countInput(scope, request, envelope)
    if (scope.cancellation.aborted) throw cancelled()
    builder.begin({ endpoint: undefined, attempts: 0, warnings: [], store: false })
    builder.close({ finish: 'stop', usage: noUsage, costUsd: 0 })
    thread.remember(builder.id, request.input)
    builder.end(false)
  }

  /** A stream has these headers at its start. */
  #opening({ endpoint, attempts, warnings }: Commitment, own: readonly Warning[]): JsonObject {
    return {
      headers: {
        ...this.about(),
        ...gatewayHeaders({
          provider: attempts > 0 ? endpoint?.provider : undefined,
          attempts: endpoint && attempts,
          warnings: [...warnings.map(publicWarning), ...own],
        }),
      },
    }
  }
}
