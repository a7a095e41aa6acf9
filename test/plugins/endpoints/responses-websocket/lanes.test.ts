import t from 'tap'
import { held, Peer, textOf, underTest } from './stage.ts'

t.test('requests of a lane run in turn, lanes run side by side', async t => {
  const model = held()
  const peer = await Peer.open(await underTest(t, {}, { plugins: [model.plugin] }))
  const send = (text: string, lane?: string): void =>
    peer.create({ model: 'held/any', input: text, ...(lane !== undefined && { stream_id: lane }) })
  send('a1', 'a')
  send('a2', 'a')
  send('b1', 'b')
  send('main')
  await model.hasBegun(3)
  t.same(model.begun, ['a1', 'b1', 'main'])
  model.go('b1')
  t.match(await peer.next('response.completed'), { stream_id: 'b' })
  model.go('main')
  t.notOk('stream_id' in (await peer.next('response.completed')))
  model.go('a1')
  t.match(await peer.next('response.completed'), { stream_id: 'a' })
  await model.hasBegun(4)
  model.go('a2')
  const last = await peer.next('response.completed')
  t.equal(textOf(last['response']), 'a2')
  for (const event of peer.events) if (event['response']?.output?.length) t.ok([undefined, 'a', 'b'].includes(event['stream_id']))
})

t.test('at most eight run at once, and the others wait', async t => {
  const model = held()
  const peer = await Peer.open(await underTest(t, {}, { plugins: [model.plugin] }))
  const names = Array.from({ length: 12 }, (_, index) => `lane-${index}`)
  for (const name of names) peer.create({ model: 'held/any', input: name, stream_id: name })
  await model.hasBegun(8)
  t.same(model.begun, names.slice(0, 8))
  model.go('lane-3')
  await peer.next('response.completed')
  await model.hasBegun(9)
  t.equal(model.begun[8], 'lane-8')
  for (const [index, name] of names.entries()) {
    if (index === 3) continue
    await model.hasBegun(Math.min(index + 8, 12))
    model.go(name)
    await peer.next('response.completed')
  }
})

t.test('a connection has at most 32 named lanes', async t => {
  const peer = await Peer.open(await underTest(t))
  for (let index = 0; index < 32; index++) await peer.answer({ input: 'a', stream_id: `lane-${index}` })
  await peer.answer({ input: 'the default lane does not count' })
  t.match(await peer.fails({ input: 'a', stream_id: 'one-more' }), {
    status: 400,
    error: { code: 'websocket_stream_limit_reached', param: 'stream_id', message: /at most 32/ },
  })
  t.equal(textOf(await peer.answer({ input: 'again', stream_id: 'lane-0' })), 'again')
})

t.test('a lane goes on after a request that failed, and others do not notice', async t => {
  const peer = await Peer.open(await underTest(t))
  peer.create({ input: 'x', model: 'none/any', stream_id: 'a' })
  peer.create({ input: 'next', stream_id: 'a' })
  peer.create({ input: 'other', stream_id: 'b' })
  t.match(await peer.next('error'), { stream_id: 'a', status: 400 })
  const texts = [await peer.last(), await peer.last()].map(textOf)
  t.same(texts.sort(), ['next', 'other'])
})

t.test('a peer that sends more than the gateway takes has to wait', async t => {
  const model = held()
  const under = await underTest(t, {}, { plugins: [model.plugin] })
  const peer = await Peer.open(under)
  peer.create({ model: 'held/any', input: 'first' })
  for (let index = 0; index < 300; index++) peer.create({ input: `${index}` })
  await model.hasBegun(1)
  model.go('first')
  for (let index = 0; index < 301; index++) await peer.next('response.completed')
  const texts = peer.events.filter(({ type }) => type === 'response.completed').map(({ response }) => textOf(response))
  t.same(texts, ['first', ...Array.from({ length: 300 }, (_, index) => `${index}`)], 'in their order')
})
