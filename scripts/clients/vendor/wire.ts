import type { FakeReply, ReceivedRequest } from '../../../core/testing/index.ts'
import type { Answer } from './answer.ts'
import type { Question } from './question.ts'

/** How a vendor of one protocol is spoken to. */
export interface Wire {
  question(request: ReceivedRequest): Question
  /** The answer as one body. */
  whole(answer: Answer, model: string): object
  stream(answer: Answer, model: string): Stream
  failure(status: number, message: string): object
  /** Paths other than generation, such as embeddings. */
  other?(request: ReceivedRequest): FakeReply | undefined
  /** Of streams. Default: that of server-sent events. */
  readonly contentType?: string
}

export interface Stream {
  /** Up to the first piece of the answer. */
  readonly opening: readonly (string | Uint8Array)[]
  readonly rest: readonly (string | Uint8Array)[]
}
