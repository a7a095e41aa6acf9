import type { Attempt } from '../call/attempts/attempt.ts'
import { StreamPace } from '../call/attempts/stream-pace.ts'
import type { SlowStream } from '../contracts/provider.ts'
import type { Allowance } from '../limits/allowance.ts'
import { cutShort } from '../upstream/provider-failures.ts'
import { payFor, type PaidEvent } from './paid-event.ts'
import type { RaisedEvent } from './raised-event.ts'

/** Reads until the stream has shown the expected pace. Throws a timeout if it is too slow. Another candidate can still be asked. */
export async function keepPace(attempt: Attempt<RaisedEvent>, first: RaisedEvent, slowStream: SlowStream): Promise<void> {
  const pace = new StreamPace(slowStream, attempt)
  try {
    for (let event = first; !pace.isEnough(event);) attempt.head.push((event = await nextOf(attempt)))
  } finally {
    pace.stop()
  }
}

/**
 * Reads the stream of a plain reply to its end. If it breaks off, another candidate can still be asked. False if the credit did not cover
 * it.
 */
export async function readWhole(attempt: Attempt<RaisedEvent>, first: RaisedEvent): Promise<boolean> {
  const { allowance, head } = attempt
  head.pop()
  for (let event = first; ; event = await nextOf(attempt)) {
    if (!allowance) head.push(event)
    else if (!(await keepPaid(attempt, event, allowance))) return false
    if (event.type === 'finish') return true
  }
}

/** Keeps as much of the event as the credit covers. False if that is not all of it: then the reply ends there. */
async function keepPaid(attempt: Attempt<RaisedEvent>, event: RaisedEvent, allowance: Allowance): Promise<boolean> {
  for (let unpaid: RaisedEvent | undefined = event; unpaid;) {
    const { paid, rest }: PaidEvent = payFor(unpaid, allowance)
    if (paid) attempt.head.push(paid)
    unpaid = rest
    if (!rest || (await attempt.pauseFor(allowance.more(rest.text)))) continue
    attempt.head.push({ type: 'finish', reason: 'length' })
    return false
  }
  return true
}

/** Throws if the reply ends instead. */
async function nextOf({ inbox, candidate }: Attempt<RaisedEvent>): Promise<RaisedEvent> {
  const event = inbox.take() ?? (await inbox.next())
  if (!event) throw cutShort(candidate.provider.id)
  return event
}
