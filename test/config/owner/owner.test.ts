import t, { type Test } from 'tap'
import { OwnedCoordination } from '../../../config/owner/owned-coordination.ts'
import type { SharedChange } from '../../../core/stores.ts'
import { ownerUnderTest, type OwnerUnderTest } from '../../kit/owner-under-test.ts'

async function underTest(t: Test): Promise<OwnerUnderTest> {
  const under = await ownerUnderTest()
  t.teardown(under.close)
  return under
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise(resolve => setTimeout(resolve, 5))
}

t.test('the places of a process come back when its connection is gone for a second', async t => {
  const under = await underTest(t)
  const one = await under.client()
  const two = await under.client()
  const claim = (place: string) => ({ group: 'g', places: [{ bucket: 'key:demo', limit: 2, place }], windows: [] })
  for (const place of ['a', 'b']) t.notMatch(await one.call('claim', claim(place)), { fullPlace: 'key:demo' })
  t.match(await two.call('claim', claim('c')), { fullPlace: 'key:demo' })
  one.close()
  await until(async () => !('fullPlace' in (await two.call('claim', claim('c')))))
  t.pass('there is room')
})

t.test('a process that lost its connection keeps its places', async t => {
  const under = await underTest(t)
  const [one, two] = [await under.client(), await under.client()]
  const claim = { group: 'g', places: [{ bucket: 'key:demo', limit: 1, place: 'a' }], windows: [] }
  await one.call('claim', claim)
  const intruder = await under.connect()
  intruder.on('error', () => {})
  intruder.resume()
  // The owner closes the earlier connection of the same process.
  intruder.write(`${JSON.stringify(['hello', 1, one.member])}\n`)
  await until(
    async () =>
      await one.call('beat', {}).then(
        () => false,
        () => true,
      ),
  )
  await until(
    async () =>
      await one.call('beat', {}).then(
        () => true,
        () => false,
      ),
  )
  t.match(await two.call('claim', { ...claim, places: [{ bucket: 'key:demo', limit: 1, place: 'b' }] }), { fullPlace: 'key:demo' })
  intruder.destroy()
})

t.test('while the owner is gone, calls fail at once, and the next one has another generation', async t => {
  const under = await underTest(t)
  const coordination = new OwnedCoordination(await under.client(), 2)
  const { generation } = await coordination.beat({})
  const open = coordination.beat({})
  under.die()
  await t.rejects(open, /the owner process ended/, 'a call that was open')
  await t.rejects(coordination.beat({}), /the owner process is not there/, 'a call without an owner')
  await under.replace()
  let next: string | undefined
  await until(async () => (next = (await coordination.beat({}).catch(() => undefined))?.generation) !== undefined)
  t.not(next, generation)
  t.match(under.logs, [/a new owner process counts/])
})

t.test('a new owner learns what is still valid, and each process what it missed', async t => {
  const under = await underTest(t)
  const [one, two] = [await under.client(), await under.client()]
  const received: SharedChange[] = []
  one.subscribe(() => {})
  two.subscribe(change => void received.push(change))
  one.publish({ map: 'm', key: 'before', value: 1, forMs: 60_000 })
  await until(() => received.length === 1)
  one.publish({ map: 'm', key: 'over', value: 1, forMs: 60_000 })
  one.publish({ map: 'm', key: 'over', forMs: 0 })
  await until(() => received.length === 3)
  under.die()
  await until(
    async () =>
      await one.call('beat', {}).then(
        () => false,
        () => true,
      ),
  )
  one.publish({ map: 'm', key: 'meanwhile', value: 2, forMs: 60_000 })
  await under.replace()
  await until(() => received.some(({ key }) => key === 'meanwhile'))
  const late = await under.client()
  const learned = new Map<string, SharedChange>()
  late.subscribe(change => void learned.set(change.key, change))
  await until(() => learned.has('before') && learned.has('meanwhile'))
  t.notOk(learned.has('over'))
})
