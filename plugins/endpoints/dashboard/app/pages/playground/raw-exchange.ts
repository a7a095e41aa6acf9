import { useEffect, useRef, useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { Timing } from './answer-view.ts'
import { eventsOf } from './event-stream.ts'
import { errorIn, textAt, type Trial } from './trial.ts'

type Json = Readonly<Record<string, unknown>>

/** A reply as it came, and its text. */
export interface RawReply {
  readonly isOpen: boolean
  readonly requestId: string | null
  readonly text: string
  readonly thoughts: string
  /** The events of a stream, or the one body. */
  readonly parts: readonly unknown[]
  readonly isStream: boolean
  readonly problem: string | undefined
  readonly timing: Timing
}

export interface RawExchange {
  readonly reply: RawReply | undefined
  /** Throws what the gateway refused. */
  send(key: string, trial: Trial, request: Json): Promise<void>
  stop(): void
}

/** Sends requests to any surface as a key, one at a time, and shows the reply while it comes. Leaving the page ends it. */
export function useRawExchange(): RawExchange {
  const [reply, setReply] = useState<RawReply>()
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  return {
    reply,
    async send(key, trial, request) {
      running.current?.abort()
      const abort = (running.current = new AbortController())
      const start = performance.now()
      let last: RawReply = nothing
      const show = (): void => {
        if (running.current === abort) setReply(last)
      }
      setReply(last)
      try {
        const received = await api.send('POST', `/playground/${trial.name}`, { key, request }, abort.signal)
        const isStream = received.headers.get('content-type')?.startsWith('text/event-stream') ?? false
        last = { ...last, isStream, requestId: received.headers.get('x-request-id') }
        if (isStream) {
          let isDrawn = true
          const parts: unknown[] = []
          for await (const event of eventsOf(received.body!)) {
            parts.push(event)
            last = grown(last, trial, event, parts)
            if (last.timing.firstMs === undefined) last = { ...last, timing: { ...last.timing, firstMs: performance.now() - start } }
            // Fast models send more events than a screen has frames.
            if (!isDrawn) continue
            isDrawn = false
            requestAnimationFrame(() => {
              isDrawn = true
              if (!abort.signal.aborted) show()
            })
          }
        } else {
          const body: unknown = await received.json()
          last = grown(last, trial, body, [body])
        }
        last = { ...last, isOpen: false, timing: { ...last.timing, totalMs: performance.now() - start } }
        show()
      } catch (error) {
        if (abort.signal.aborted) {
          last = { ...last, isOpen: false, problem: 'You stopped the answer.' }
          return show()
        }
        if (last.parts.length === 0) {
          setReply(undefined)
          throw error
        }
        last = { ...last, isOpen: false, problem: 'The connection ended before the answer was complete.' }
        show()
      } finally {
        if (running.current === abort) running.current = undefined
      }
    },
    stop: () => running.current?.abort(),
  }
}

const nothing: RawReply = {
  isOpen: true,
  requestId: null,
  text: '',
  thoughts: '',
  parts: [],
  isStream: false,
  problem: undefined,
  timing: { firstMs: undefined, totalMs: undefined },
}

/** The reply after one more part. `parts` grows in place. */
function grown(reply: RawReply, { texts, thoughts }: Trial, part: unknown, parts: readonly unknown[]): RawReply {
  return {
    ...reply,
    parts,
    text: reply.text + textAt(part, texts),
    thoughts: reply.thoughts + textAt(part, thoughts),
    problem: reply.problem ?? errorIn(part),
  }
}
