import type { Socket } from 'node:net'
import t, { type Test } from 'tap'
import { ownerUnderTest, type OwnerUnderTest } from '../../kit/owner-under-test.ts'

async function underTest(t: Test): Promise<OwnerUnderTest> {
  const under = await ownerUnderTest()
  t.teardown(under.close)
  return under
}

/** All that the owner says until it closes the connection. */
async function answerTo(socket: Socket, ...lines: readonly unknown[]): Promise<string> {
  let said = ''
  socket.on('data', (text: string) => (said += text))
  socket.on('error', () => {})
  const closed = new Promise(resolve => socket.once('close', resolve))
  for (const line of lines) socket.write(typeof line === 'string' ? line : `${JSON.stringify(line)}\n`)
  await closed
  return said
}

const hello = ['hello', 1, 'demo']
const claim = { group: 'g', places: [], windows: [] }
const deep = `["publish",{"map":"m","key":"k","forMs":1,"value":${'['.repeat(200_000)}${']'.repeat(200_000)}}]\n`

t.test('a peer that breaks the rules is told why and loses its connection, and nobody else does', async t => {
  const under = await underTest(t)
  const good = await under.client()
  const generation = (await good.call('beat', {})).generation
  const broken: readonly (readonly unknown[])[] = [
    ['no JSON\n'],
    ['\n'],
    ['null\n'],
    [{ hello: 1 }],
    [['hello', 99, 'demo']],
    [['hello', 1, '']],
    [['hello', 1, 'x'.repeat(3_000)]],
    [['subscribe']],
    [['call', 1, 'beat', {}]],
    [hello, hello],
    [hello, ['call', 'one', 'beat', {}]],
    [hello, ['call', 1, 'constructor']],
    [hello, ['call', 1, '__proto__', {}]],
    [hello, ['call', 1, 'claim', null]],
    [hello, ['call', 1, 'claim', { ...claim, places: [{ bucket: 'b', limit: null, place: 'p' }] }]],
    [hello, ['call', 1, 'claim', { ...claim, windows: [{ bucket: 'b', tokens: 1, windowMs: 1, amount: -1 }] }]],
    [hello, ['call', 1, 'change', [{ group: 'g', bucket: 'b', windowMs: 1, amount: 'all' }], []]],
    [hello, ['call', 1, 'beat', { requests: {} }]],
    [hello, ['call', 1, 'exchange', [{ name: 'n', counts: { a: null }, forMs: 1 }], null]],
    [hello, ['publish', { map: 'm', key: 'k' }]],
    [hello, deep],
    [hello, 'x'.repeat(17 * 1024 * 1024)],
  ]
  for (const lines of broken) {
    const said = await answerTo(await under.connect(), ...lines)
    t.match(said, /"refused"/, JSON.stringify(lines).slice(0, 80))
  }
  t.equal((await good.call('beat', {})).generation, generation, 'the owner and its other connections continue')
})

t.test('a peer that does not read is dropped before its answers fill the memory', async t => {
  const under = await underTest(t)
  const good = await under.client()
  const socket = await under.connect()
  socket.pause()
  socket.write(`${JSON.stringify(hello)}\n`)
  const counts = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field-${index}-${'x'.repeat(100)}`, index]))
  await good.call('exchange', [{ name: 'large', counts, forMs: 60_000 }], null)
  let isClosed = false
  socket.on('error', () => {})
  socket.on('close', () => (isClosed = true))
  for (let id = 0; id < 400 && !isClosed; id++) {
    socket.write(`${JSON.stringify(['call', id, 'exchange', [], null])}\n`)
    if (id % 20 === 0) await good.call('gauges')
  }
  socket.resume()
  while (!isClosed) await new Promise(resolve => setTimeout(resolve, 5))
  t.ok(await good.call('beat', {}))
})

t.test('half a line and a connection that only opens do no harm', async t => {
  const under = await underTest(t)
  const silent = await under.connect()
  const half = await under.connect()
  half.write(`${JSON.stringify(hello)}\n["call",1,"be`)
  half.destroy()
  t.ok(await (await under.client()).call('beat', {}))
  silent.destroy()
})
