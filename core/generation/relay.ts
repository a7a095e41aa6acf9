import type { GenerationSink } from '../contracts/route.ts'
import type { Answer } from './answer.ts'
import type { RaisedEvent } from './raised-event.ts'
import type { Reply } from './reply.ts'

/**
 * Writes a whole reply to the answer. While the client is slow, nothing is read and the attempt's timers stand still. Undefined if all of
 * the reply has arrived already, and nothing was slow.
 */
export function relay(reply: Reply, answer: Answer, sink: GenerationSink): Promise<void> | undefined {
  const write = (event: RaisedEvent): void => {
    if (isContent(event)) answer.write(event)
  }
  const writeUntilFull = (event: RaisedEvent): boolean => {
    write(event)
    return !sink.full
  }
  const flowing = reply.flow(writeUntilFull)
  const ending = flowing || reply.finish === undefined ? slowly(flowing, reply, sink, writeUntilFull, write) : reply.rest(write)
  const end = (): void => {
    if (reply.finish === 'pause') answer.pause()
  }
  if (ending) return ending.then(end)
  end()
  return undefined
}

async function slowly(
  flowing: Promise<void> | undefined,
  reply: Reply,
  sink: GenerationSink,
  writeUntilFull: (event: RaisedEvent) => boolean,
  write: (event: RaisedEvent) => void,
): Promise<void> {
  const { attempt } = reply
  for (let next = flowing; ; next = reply.flow(writeUntilFull)) {
    if (next) await next
    if (reply.finish !== undefined) break
    attempt.pause()
    if (reply.hasUnpaid) await attempt.unlessAborted(reply.payMore())
    if (sink.full) await attempt.unlessAborted(sink.drained())
    attempt.resume()
  }
  await reply.rest(write)
}

function isContent({ type }: RaisedEvent): boolean {
  return type !== 'usage' && type !== 'finish' && type !== 'model' && type !== 'warning'
}
