import type { Readable } from 'node:stream'
import { ProviderFailure, sseFramer, type ProviderCall } from '../../../core/index.ts'
import { EndOfAnswer } from './end-of-answer.ts'

/** How long a body may go on once its answer is complete. */
const restMs = 1_000
const maximumReplyBytes = 64 * 1024 * 1024

/** A body up to the end of its answer, and never more of it than the gateway has room for. */
export async function* answerBody(body: Readable, isStream: boolean, holds: ProviderCall['holds']): AsyncGenerator<Uint8Array> {
  const end = new EndOfAnswer()
  const framer = isStream ? sseFramer() : undefined
  let held = 0
  let isLate = false
  let timer: NodeJS.Timeout | undefined
  const see = (data: string): void => {
    held = 0
    end.see(data)
  }
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      held += chunk.byteLength
      framer?.feed(chunk, see)
      holds?.(held)
      if (held > maximumReplyBytes) throw tooLarge()
      yield chunk
      if (end.isOver) return
      if (end.isComplete)
        timer ??= setTimeout(() => {
          isLate = true
          body.destroy()
        }, restMs)
    }
  } catch (error) {
    if (!isLate) throw error
  } finally {
    clearTimeout(timer)
    body.on('error', () => {})
    body.destroy()
  }
}

function tooLarge(): ProviderFailure {
  return new ProviderFailure({
    kind: 'protocol',
    message: `The provider sent a reply larger than ${maximumReplyBytes / 1024 / 1024} MiB.`,
  })
}
