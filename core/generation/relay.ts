import type { GenerationSink } from '../contracts/route.ts'
import type { Answer } from './answer.ts'
import type { RaisedEvent } from './raised-event.ts'
import type { Reply } from './reply.ts'

/** Writes a whole reply to the answer. While the client is slow, nothing is read and the attempt's timers stand still. */
export async function relay(reply: Reply, answer: Answer, sink: GenerationSink): Promise<void> {
  const { attempt } = reply
  for (;;) {
    if (sink.full && !reply.finish) {
      attempt.pause()
      await attempt.unlessAborted(sink.drained())
      attempt.resume()
    }
    const event = reply.take() ?? (await reply.next())
    if (!event) break
    if (isContent(event)) answer.write(event)
  }
  if (reply.finish === 'pause') answer.pause()
}

function isContent({ type }: RaisedEvent): boolean {
  return type !== 'usage' && type !== 'finish' && type !== 'model' && type !== 'warning'
}
