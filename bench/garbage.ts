import { once } from 'node:events'
import { load, type Expected, type Shot } from './load.ts'
import type { ServerProcess } from './server-process.ts'

/** The answer of `garbage-on-message.js`. */
interface Garbage {
  readonly allocatedBytes: number
  readonly collectingUs: number
}

export interface GarbagePerRequest {
  readonly allocatedKb: number
  readonly collectingUs: number
}

/**
 * The garbage that a request leaves on the heap of a server that preloads `garbage-on-message.js`. Separate from the timed runs, because
 * watching costs time.
 */
export async function garbagePerRequest(
  { child }: ServerProcess,
  shot: Shot,
  expected: Expected,
  { concurrency, seconds, core }: { readonly concurrency: number; readonly seconds: number; readonly core: number },
): Promise<GarbagePerRequest> {
  const ask = async (question: string): Promise<unknown> => {
    const answer = once(child, 'message')
    child.send(question)
    const [message] = (await answer) as [unknown]
    return message
  }
  await ask('watch garbage')
  const { good } = await load(shot, expected, concurrency, seconds, core)
  const { allocatedBytes, collectingUs } = (await ask('report garbage')) as Garbage
  return { allocatedKb: allocatedBytes / 1024 / good, collectingUs: collectingUs / good }
}
