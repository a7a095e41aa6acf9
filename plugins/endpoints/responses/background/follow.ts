import type { StreamBody } from '../../../../core/kit.ts'
import type { EventChunk } from '../../../../core/stores.ts'
import type { Background } from './background.ts'
import { isOver, lastFrames } from './shown.ts'

/** How often others look for events of a response that runs in another gateway. */
const lookEveryMs = 500

export interface Followed {
  readonly owner: string
  readonly id: string
  /** The sequence number of the last event that the client has. -1: none. */
  readonly after: number
}

/**
 * Sends the events of a response, from any of them on, until it ends or the client leaves. It reads as fast as the client does, and so never
 * slows the response down.
 */
export async function follow(body: StreamBody, background: Background, { owner, id, after }: Followed, left: AbortSignal): Promise<void> {
  body.onSilence(() => body.write(': keep-alive\n\n'))
  let wake: (() => void) | undefined
  left.addEventListener('abort', () => wake?.(), { once: true })
  try {
    for (let part = 0; !left.aborted;) {
      const run = background.runOf(owner, id)
      const changed = run?.writer.changed
      const state = run && !run.writer.isOver ? undefined : await background.find(owner, id)
      if (!run && !state) return body.abandon()
      const from = { part, sequence: after }
      const chunks = run?.recent(from) ?? (await background.store.events(owner, id, from))
      for (const chunk of chunks) {
        if (left.aborted) return
        body.write(textAfter(chunk, after))
        part = chunk.part + 1
        if (body.full) await body.drained()
      }
      if (chunks.length > 0) continue
      if (state && isOver(state)) {
        body.write(lastFrames(state, after))
        return body.end()
      }
      await new Promise<void>(resolve => {
        wake = resolve
        void (changed ?? later(lookEveryMs)).then(resolve)
      })
    }
  } catch (error) {
    background.failed(error)
    // The client can resume.
    body.abandon()
  }
}

/** The events of a chunk that come after this one. */
function textAfter({ first, text }: EventChunk, after: number): string {
  if (first > after) return text
  let start = 0
  for (let sequence = first; sequence <= after; sequence++) start = text.indexOf('\n\n', start) + 2
  return text.slice(start)
}

function later(milliseconds: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, milliseconds))
}
