import type { Expected, Shot } from './load.ts'
import { shoot } from './server-process.ts'

/** Derives the expectation for all replies from a close look at a few. Without deltas, a reply is one JSON document. */
export async function expectation(aimed: Shot, marker: string, deltas: number, what: string): Promise<Expected> {
  const lengths: number[] = []
  for (let count = 0; count < 5; count++) {
    const { status, body } = await shoot(aimed)
    if (status !== 200 || !body.slice(-8192).includes(marker)) throw new Error(`${what}: ${status} ${body.slice(-1000)}`)
    const events = body.split('\n').filter(line => line.startsWith('data: ') && line.includes('"delta":')).length
    if (body.startsWith('{') !== (deltas === 0) || events < deltas) throw new Error(`${what}: ${events} deltas`)
    lengths.push(Buffer.byteLength(body))
  }
  // Numbers in a reply, such as times, may gain a digit.
  return { shortest: Math.min(...lengths) - 16, longest: Math.max(...lengths) + 16, marker }
}
