import { useEffect, useRef, useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { answerOf, noAnswer, withEvent, type Answer } from './answer.ts'
import type { Timing } from './answer-view.ts'
import { eventsOf } from './event-stream.ts'

type Json = Readonly<Record<string, unknown>>

export interface Exchange {
  readonly answer: Answer | undefined
  readonly timing: Timing
  /** Resolves when the answer is there. Throws what the gateway refused. */
  send(key: string, request: Json): Promise<Answer | undefined>
  stop(): void
  clear(): void
}

/** Sends requests as a key, one at a time, and shows the answer while it comes. Leaving the page ends it. */
export function useExchange(): Exchange {
  const [answer, setAnswer] = useState<Answer>()
  const [timing, setTiming] = useState<Timing>(untimed)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  return {
    answer,
    timing,
    async send(key, request) {
      running.current?.abort()
      const abort = (running.current = new AbortController())
      const start = performance.now()
      setAnswer(noAnswer)
      setTiming(untimed)
      let last: Answer = noAnswer
      try {
        const reply = await api.send('POST', '/playground/responses', { key, request }, abort.signal)
        if (!reply.headers.get('content-type')?.startsWith('text/event-stream')) {
          last = answerOf((await reply.json()) as Parameters<typeof answerOf>[0])
        } else {
          let firstMs: number | undefined
          let isDrawn = true
          for await (const event of eventsOf(reply.body!)) {
            last = withEvent(last, event)
            if (last.items.length > 0) firstMs ??= performance.now() - start
            // Fast models send more events than a screen has frames.
            if (!isDrawn) continue
            isDrawn = false
            requestAnimationFrame(() => {
              isDrawn = true
              if (running.current === abort && !abort.signal.aborted) setAnswer(last)
            })
          }
          setTiming({ firstMs, totalMs: performance.now() - start })
          if (last.status === 'in_progress')
            last = { ...last, status: 'failed', error: 'The connection ended before the answer was complete.' }
        }
        setAnswer(last)
        setTiming(({ firstMs }) => ({ firstMs, totalMs: performance.now() - start }))
        return last
      } catch (error) {
        if (abort.signal.aborted) {
          if (running.current === abort) setAnswer({ ...last, status: 'incomplete', error: 'You stopped the answer.' })
          return undefined
        }
        // The one before stays in the conversation.
        setAnswer(answer)
        throw error
      } finally {
        if (running.current === abort) running.current = undefined
      }
    },
    stop: () => running.current?.abort(),
    clear() {
      running.current?.abort()
      setAnswer(undefined)
    },
  }
}

const untimed: Timing = { firstMs: undefined, totalMs: undefined }
