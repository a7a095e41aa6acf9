import type { Readable } from 'node:stream'
import { ProviderFailure, type ProviderCall } from '../../../core/index.ts'
import { sseFramer } from '../../../core/kit.ts'
import { EndOfAnswer } from './end-of-answer.ts'

/** How long a body may stay open after its answer is complete. */
const restMs = 1_000
const maxReplyBytes = 64 * 1024 * 1024

/** Passes on a whole reply within the gateway's memory limit, because packages collect it. */
export async function* wholeBody(body: Readable, holds: ProviderCall['holds']): AsyncGenerator<Uint8Array> {
  let held = 0
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    held += chunk.byteLength
    holds?.(held)
    if (held > maxReplyBytes) throw tooLarge()
    yield chunk
  }
  holds?.(0)
}

/** Passes on the complete events of a stream, up to the end of the answer. */
export async function* streamedBody(body: Readable, holds: ProviderCall['holds']): AsyncGenerator<Uint8Array> {
  const end = new EndOfAnswer()
  const framer = sseFramer()
  let held = 0
  let events = ''
  let isLate = false
  let timer: NodeJS.Timeout | undefined
  const see = (data: string, event?: string): void => {
    held = 0
    if (end.isOver) return
    end.see(data)
    events += `${event === undefined ? '' : `event: ${event}\n`}data: ${data.replaceAll('\n', '\ndata: ')}\n\n`
  }
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      held += chunk.byteLength
      framer.feed(chunk, see)
      holds?.(held)
      if (events !== '') yield Buffer.from(events)
      events = ''
      if (end.isOver) return
      if (end.isComplete)
        timer ??= setTimeout(() => {
          isLate = true
          body.destroy()
        }, restMs)
    }
    framer.end?.(see)
    if (events !== '') yield Buffer.from(events)
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
    message: `The provider sent a reply larger than ${maxReplyBytes / 1024 / 1024} MiB.`,
  })
}
