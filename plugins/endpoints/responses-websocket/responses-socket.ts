import type { Peer } from 'crossws'
import type { Socket } from 'node:net'
import { isObject, type GatewayError, type JsonObject } from '../../../core/index.ts'
import { withFailureStatus, type Connection, type Conversations, type GatewayServices, type HeldMessage } from '../../../core/kit.ts'
import type { CreateOptions } from '../responses/create.ts'
import { Arrival } from './arrival.ts'
import { Lanes } from './lanes.ts'
import { LatestResponses } from './latest-responses.ts'
import { MessageBody } from './message-body.ts'
import { errorMessage } from './messages.ts'
import { Outbox } from './outbox.ts'
import {
  badStreamId,
  binaryMessage,
  lifeIsOver,
  maxNamedLanes,
  namedResponse,
  shuttingDown,
  tooManyLanes,
  unknownMessage,
} from './socket-errors.ts'
import { LaneRun } from './lane-run.ts'

export interface SocketOptions extends CreateOptions {
  readonly upstreamFailureStatus: number
  readonly lanes: number
  readonly idleTimeoutMs: number
  readonly maxLifeMs: number
}

/** So many messages may run or wait. Then the gateway stops reading, and the peer has to wait. */
const maxMessages = 64
/** So much may wait for a peer that sends, but does not read: answers to its pings, and errors. */
const maxUnreadBytes = 1024 * 1024
const keepAliveMs = 30_000
/** How long a peer may take to read why its connection ends. */
const farewellMs = 2_000

// Close codes. Clients connect again after the first and the last.
const goingAway = 1001
const policyViolation = 1008
const tryAgainLater = 1013
/** Of a close frame, in bytes. */
const maxReasonLength = 120

/** The WebSocket of the package ws, which crossws brings. */
interface RawSocket {
  pause(): void
  resume(): void
}

/** One connection: reads its messages, runs them in their lanes, and knows when it is over. */
export class ResponsesSocket {
  readonly #connection: Connection
  readonly #gateway: GatewayServices
  readonly #options: SocketOptions
  readonly #conversations: Conversations | undefined
  readonly #outbox: Outbox
  readonly #lanes: Lanes
  readonly #latest: LatestResponses
  readonly #arrival: Arrival
  /** Those that run, or wait in a lane. */
  readonly #runs = new Set<LaneRun>()
  readonly #openedAtMs: number
  #activeAtMs: number
  #peer!: Peer
  #refusing = 0
  /** The length of the messages that run or wait. */
  #characters = 0
  #isPaused = false
  /** Why the connection takes no more messages. */
  #leaving: GatewayError | undefined

  constructor(connection: Connection, gateway: GatewayServices, options: SocketOptions, conversations: Conversations | undefined) {
    const { owner } = connection.caller
    this.#connection = connection
    this.#gateway = gateway
    this.#options = options
    this.#conversations = conversations
    this.#outbox = new Outbox(connection.socket as Socket)
    this.#lanes = new Lanes(options.lanes)
    this.#latest = new LatestResponses(evict => gateway.holdMemory(owner, evict))
    this.#arrival = new Arrival(connection)
    this.#openedAtMs = this.#activeAtMs = gateway.clock.elapsed()
  }

  get id(): string {
    return this.#connection.id
  }

  opened(peer: Peer): void {
    const { socket } = this.#connection
    this.#peer = peer
    this.#outbox.open(peer)
    // Pings cannot find out that a peer has gone: one that only reads while it waits for an answer does not answer them.
    ;(socket as Partial<Pick<Socket, 'setKeepAlive'>>).setKeepAlive?.(true, keepAliveMs)
    socket.on('data', (chunk: Buffer) => this.#arriving(chunk.length))
    this.#connection.onStop(() => this.#leave(shuttingDown()))
    this.#connection.onRevoked(error => this.#revoked(error))
  }

  /** A whole message. */
  received(data: unknown): void {
    this.#activeAtMs = this.#gateway.clock.elapsed()
    const held = this.#arrival.whole()
    let lane: string | undefined
    try {
      if (typeof data !== 'string') throw binaryMessage()
      held.hold(data.length)
      const message = this.#connection.json(data)
      if (!isObject(message)) throw unknownMessage(undefined)
      const { type, stream_id: streamId, ...rest } = message
      if (type === 'response.processed') return held.release()
      lane = this.#laneOf(streamId)
      if (type === 'response.cancel') {
        this.#cancel(lane, namedResponse(rest['response_id']))
        held.release()
      } else if (type !== 'response.create') throw unknownMessage(type)
      else if (this.#leaving) throw this.#leaving
      else this.#create(lane, rest, held, data.length)
    } catch (thrown) {
      held.release()
      void this.#refuse(thrown, lane)
    }
  }

  drained(): void {
    this.#outbox.drain()
    if (this.#isPaused) this.#pauseOrResume()
  }

  closed(): void {
    this.#outbox.leave()
    this.#latest.close()
    this.#arrival.close()
  }

  ping(): void {
    if (!this.#isPaused) this.#peer.ping()
  }

  /** Breaks the silence of responses that said nothing in so many visits. */
  breakSilence(visits: number): void {
    for (const { body } of this.#runs) if (++body.silentVisits >= visits) body.beat()
  }

  /** Ends a connection that is idle, or too old. */
  checkAge(): void {
    const now = this.#gateway.clock.elapsed()
    const { idleTimeoutMs, maxLifeMs } = this.#options
    if (now - this.#openedAtMs >= maxLifeMs) this.#leave(lifeIsOver(maxLifeMs))
    else if (this.#runs.size === 0 && now - this.#activeAtMs >= idleTimeoutMs)
      this.#outbox.close(goingAway, `no message came for ${idleTimeoutMs / 1000} seconds: connect again`)
  }

  #create(lane: string | undefined, message: JsonObject, held: HeldMessage, characters: number): void {
    const body = new MessageBody(this.#outbox, () => this.#connection.socket.destroy())
    const parts = { gateway: this.#gateway, options: this.#options, latest: this.#latest, conversations: this.#conversations }
    const run = new LaneRun(parts, lane, message, body)
    this.#runs.add(run)
    this.#characters += characters
    this.#lanes.put(lane ?? '', async () => {
      await this.#answer(run)
      this.#runs.delete(run)
      this.#characters -= characters
      held.release()
      this.#over()
    })
    this.#pauseOrResume()
  }

  async #answer(run: LaneRun): Promise<void> {
    const error = await this.#connection.serve(scope => this.#leaving ?? run.answer(scope))
    if (!error) return
    run.failed(error)
    this.#tell(error, run.streamId, run.about())
    if (error.status === 401) this.#revoked(error)
  }

  /** A message that is no request is recorded as one that was refused. */
  async #refuse(thrown: unknown, lane: string | undefined): Promise<void> {
    this.#refusing++
    this.#pauseOrResume()
    let id = ''
    const error = await this.#connection.serve(scope => {
      id = scope.id
      throw thrown
    })
    this.#tell(error!, lane, id === '' ? {} : { 'x-request-id': id })
    // A peer that does not read its errors gets no more of them.
    await this.#outbox.drained()
    this.#refusing--
    this.#over()
  }

  #tell(error: GatewayError, lane: string | undefined, about: Readonly<Record<string, string>>): void {
    this.#outbox.add(errorMessage(withFailureStatus(error, this.#options.upstreamFailureStatus), lane, about))
  }

  /** Cancels one response, or the running one of a lane. One that has ended meanwhile is none of these. */
  #cancel(lane: string | undefined, responseId: string | undefined): void {
    for (const run of this.#runs) {
      if (run.responseId === undefined && responseId !== undefined) continue
      if (responseId === undefined ? run.streamId !== lane : run.responseId !== responseId) continue
      return run.cancel()
    }
  }

  /** The name of a lane, or undefined for the default one. */
  #laneOf(streamId: unknown): string | undefined {
    if (streamId === undefined || streamId === null) return undefined
    if (typeof streamId !== 'string' || !/^[\w.-]{1,256}$/.test(streamId)) throw badStreamId()
    if (!this.#lanes.has(streamId) && this.#lanes.names >= maxNamedLanes) throw tooManyLanes()
    return streamId
  }

  get #isUnread(): boolean {
    return this.#connection.socket.writableLength > maxUnreadBytes
  }

  #arriving(bytes: number): void {
    if (this.#isUnread) this.#pauseOrResume()
    try {
      this.#arrival.add(bytes)
    } catch (error) {
      // The rest of the message would be kept, too.
      this.#isPaused = true
      this.#raw.pause()
      this.#arrival.close()
      this.#tell(error as GatewayError, undefined, {})
      this.#outbox.close(tryAgainLater, 'the gateway has no room for the message: try again')
      setTimeout(() => this.#connection.socket.destroy(), farewellMs).unref()
    }
  }

  #pauseOrResume(): void {
    const isFull =
      this.#lanes.count + this.#refusing >= maxMessages || this.#characters > this.#connection.maxMessageBytes || this.#isUnread
    if (isFull === this.#isPaused || this.#outbox.isClosing) return
    this.#isPaused = isFull
    if (isFull) this.#raw.pause()
    else this.#raw.resume()
  }

  get #raw(): RawSocket {
    return this.#peer.websocket as unknown as RawSocket
  }

  #over(): void {
    this.#activeAtMs = this.#gateway.clock.elapsed()
    this.#pauseOrResume()
    if (this.#leaving) this.#leave(this.#leaving)
  }

  /** Takes no more messages, and closes when nothing runs any more. */
  #leave(why: GatewayError): void {
    this.#leaving ??= why
    if (this.#runs.size === 0 && this.#refusing === 0) this.#outbox.close(goingAway, this.#leaving.message.slice(0, maxReasonLength))
  }

  #revoked({ message }: GatewayError): void {
    this.#outbox.abort(policyViolation, message.slice(0, maxReasonLength))
  }
}
