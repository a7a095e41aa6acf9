import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import type { Heartbeat } from '../../../core/server/heartbeat.ts'
import { WebBody } from '../../../core/server/web-body.ts'

const silent = { add() {}, remove() {} } as unknown as Heartbeat

t.test('frames and chunks together fill a body, and reading makes room', async t => {
  const body = new WebBody(silent, () => {})
  body.write('a'.repeat(10_000))
  t.notOk(body.full)
  await turn()
  t.notOk(body.full)
  body.write('b'.repeat(10_000))
  t.ok(body.full)
  let isDrained = false
  const drained = body.drained().then(() => {
    isDrained = true
  })
  await turn()
  t.notOk(isDrained)
  t.ok(body.full)
  const reader = body.readable.getReader()
  t.equal((await reader.read()).value?.length, 10_000)
  await drained
  t.notOk(body.full)
  t.equal((await reader.read()).value?.length, 10_000)
  body.end()
  t.match(await reader.read(), { done: true })
})

t.test('a writer whose reader waits, too, continues at once', async t => {
  const body = new WebBody(silent, () => {})
  const reader = body.readable.getReader()
  const read = reader.read()
  await turn()
  body.write('a'.repeat(20_000))
  t.ok(body.full)
  await body.drained()
  t.notOk(body.full)
  t.equal((await read).value?.length, 20_000)
  body.end()
})

t.test('a chunk that waits behind another keeps nothing but itself in memory', async t => {
  const body = new WebBody(silent, () => {})
  for (const frame of ['a', 'b', 'c']) {
    body.write(frame)
    await turn()
  }
  body.end()
  const reader = body.readable.getReader()
  await reader.read()
  for (const frame of ['b', 'c']) {
    const { value } = await reader.read()
    t.equal(Buffer.from(value!).toString(), frame)
    t.equal(value!.buffer.byteLength, 1)
  }
})
