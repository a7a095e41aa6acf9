import { Cancellation } from '../../runtime/cancellation.ts'
import type { Backoff } from './backoff.ts'
import { Lane, type LaneRole } from './lane.ts'
import type { Line } from './line.ts'

/**
 * Hedges a request: if the first lane has no result after `afterMs`, a second one starts. The first result wins, and the other lane is
 * aborted. If one lane fails, the other continues.
 */
export function race<R>(line: Line, run: Cancellation, afterMs: number, backoff: Backoff, go: (lane: Lane) => Promise<R>): Promise<R> {
  const { promise, resolve, reject } = Promise.withResolvers<R>()
  const lanes: Lane[] = []
  const timer = new AbortController()
  let running = 0
  let isOver = false
  let firstError: unknown
  const end = (winner?: Lane): void => {
    isOver = true
    timer.abort()
    for (const lane of lanes) if (lane !== winner) lane.giveUp(winner ? 'outrun' : 'left')
  }
  const start = (role: LaneRole): void => {
    const lane = new Lane(role, following(run), line)
    lanes.push(lane)
    running++
    go(lane).then(
      result => {
        if (isOver) return
        end(lane)
        resolve(result)
      },
      error => {
        running--
        firstError ??= error
        if (isOver || (running > 0 && !lane.isRefused && !run.aborted)) return
        end()
        reject(error ?? firstError)
      },
    )
  }
  start('first')
  backoff.sleep(afterMs, timer.signal).then(
    () => {
      if (isOver || line.isEmpty) return
      for (const lane of lanes) lane.isRacing = true
      start('hedge')
    },
    () => {},
  )
  return promise
}

/** Aborts with `run`. */
function following(run: Cancellation): Cancellation {
  const cancellation = new Cancellation()
  run.onAbort(reason => cancellation.abort(reason))
  return cancellation
}
