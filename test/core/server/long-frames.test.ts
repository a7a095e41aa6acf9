import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import type { Heartbeat } from '../../../core/server/heartbeat.ts'
import { WebBody } from '../../../core/server/web-body.ts'

const silent = { add() {}, remove() {} } as unknown as Heartbeat
const pieceBytes = 40_000

/** A long frame that counts the pieces that were made of it. */
function long(letter: string, pieces: number) {
  const frame = { made: 0, pieces: piecesOf() }
  function* piecesOf(): Generator<string, void> {
    for (; frame.made < pieces;) {
      frame.made++
      yield letter.repeat(pieceBytes)
    }
  }
  return frame
}

async function turns(): Promise<void> {
  for (let count = 0; count < 20; count++) await turn()
}

t.test('a long frame is made as the client reads, and everything else keeps its place', async t => {
  const body = new WebBody(silent, () => {})
  const [first, second] = [long('b', 50), long('e', 3)]
  body.write('a')
  body.writeLong(first.pieces)
  body.write('c')
  body.write('d')
  body.writeLong(second.pieces)
  body.write('f')
  body.end()
  body.write('late')
  body.writeLong(long('late', 1).pieces)
  t.ok(body.full)
  let isDrained = false
  void body.drained().then(() => (isDrained = true))
  await turns()
  t.ok(first.made <= 1, `${first.made} pieces for a client that does not read`)
  const reader = body.readable.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let most = 0; ; most++) {
    const { value, done } = await reader.read()
    if (done) break
    text += decoder.decode(value)
    t.ok(first.made + second.made <= most + 2, 'at most one piece ahead of the client')
    if (text.length < 50 * pieceBytes) t.notOk(isDrained)
    await turns()
  }
  t.ok(isDrained)
  t.notOk(body.full)
  t.ok(text === `a${'b'.repeat(50 * pieceBytes)}cd${'e'.repeat(3 * pieceBytes)}f`, 'nothing is missing or out of place')
})

t.test('a client that leaves, and a reply that is abandoned, need no more pieces', async t => {
  for (const end of ['leave', 'abandon'] as const) {
    const body = new WebBody(silent, () => {})
    const frame = long('a', 50)
    body.writeLong(frame.pieces)
    body.end()
    await turns()
    const drained = body.drained()
    body[end]()
    await drained
    t.notOk(body.full)
    await turns()
    t.ok(frame.made <= 1)
    if (end === 'abandon') await t.rejects(body.readable.getReader().closed)
  }
})

t.test('a frame that cannot be made breaks the reply off', async t => {
  const body = new WebBody(silent, () => {})
  body.writeLong(
    (function* (): Generator<string, void> {
      throw new Error('demo')
    })(),
  )
  await turns()
  t.notOk(body.full)
  await t.rejects(body.readable.getReader().closed)
})
