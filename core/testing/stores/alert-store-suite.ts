import assert from 'node:assert/strict'
import { keepAlertsMs } from '../../alerts/retention.ts'
import type { Alert, AlertStore, RaisedAlert, Silence } from '../../contracts/alert.ts'
import type { Maybe } from '../../runtime/pending.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { onEachStore, type Closing } from './on-each-store.ts'

/** A store of alerts under test, without any. */
export interface AlertsUnderTest extends Closing {
  /** Empty at first. */
  readonly alerts: AlertStore
  /** The same store as another gateway has it. */
  readonly other?: AlertStore
  /** Makes all that is stored so much older. */
  pass(milliseconds: number): Maybe<void>
}

/** For `alertStoreSuite`. */
export interface AlertStoreSuiteOptions {
  /** Called once per test. */
  open(): Maybe<AlertsUnderTest>
}

/** Tests for every implementation of `AlertStore`. */
export function alertStoreSuite(t: SuiteContext, { open }: AlertStoreSuiteOptions): void {
  const test = onEachStore(t, open)
  test('of many processes that tell the same, one does', claims)
  test('a delivery is taken by one process, and falls due again until it is over', deliveries)
  test('of two processes that change a note, one was faster', notes)
  test('an all-clear ends what it resolves', allClears)
  test('lists go back in time, and find alerts by kind, organization, state and time', pages)
  test('what is silenced is listed, but not delivered', silences)
  test('whoever did not hear the alarm does not hear the all-clear', silencedAllClears)
  test('nothing is kept forever', expiry)
}

const minuteMs = 60_000
const channels = ['chat', 'pager']

async function alertOf(store: AlertStore, id: string, members: Partial<Alert> = {}): Promise<Alert> {
  return {
    id,
    at: await store.now(),
    kind: 'cap',
    subject: 'key:demo',
    org: 'example',
    severity: 'warning',
    title: `Alert ${id}`,
    message: 'A test. It has “quotes” and \u{1F6A8}.',
    facts: { percent: 80, name: "o'demo", nested: { list: [1, null, 'x'] } },
    resolves: null,
    ...members,
  }
}

async function raise(store: AlertStore, id: string, members: Partial<Alert> = {}, more: Partial<RaisedAlert> = {}): Promise<boolean> {
  return await store.raise({ alert: await alertOf(store, id, members), channels, ...more })
}

async function taken(store: AlertStore, names: readonly string[] = channels, forMs = minuteMs): Promise<readonly string[]> {
  return (await store.take(names, forMs)).map(({ alert, channel }) => `${alert.id} ${channel}`).toSorted()
}

async function idsIn(store: AlertStore, filter: Parameters<AlertStore['page']>[0] = {}): Promise<readonly string[]> {
  return (await store.page(filter, { limit: 100 })).map(({ id }) => id)
}

async function claims({ alerts, other = alerts, pass }: AlertsUnderTest): Promise<void> {
  const at80 = [80, 50].map(percent => ({ name: `cap/demo/${percent}`, forMs: 10 * minuteMs }))
  const raised = await Promise.all(
    Array.from({ length: 8 }, (_, index) => raise(index % 2 ? other : alerts, `a${index}`, {}, { claims: at80 })),
  )
  assert.equal(raised.filter(Boolean).length, 1)
  assert.equal((await idsIn(alerts)).length, 1)
  assert.equal(await raise(other, 'b', {}, { claims: [at80[1]!] }), false, 'the lower part was claimed with the higher one')
  assert.equal(await raise(other, 'c', {}, { claims: [{ name: 'cap/demo/100', forMs: minuteMs }, ...at80] }), true)
  assert.equal(await raise(other, 'd'), true, 'without claims')
  assert.equal((await idsIn(other)).length, 3)
  await pass(11 * minuteMs)
  assert.equal(await raise(other, 'e', {}, { claims: at80 }), true, 'a claim ends')
  assert.equal(await raise(alerts, 'f', {}, { claims: at80 }), false)
}

async function deliveries({ alerts, other = alerts, pass }: AlertsUnderTest): Promise<void> {
  assert.deepEqual(await alerts.take(channels, minuteMs), [])
  await raise(alerts, 'a')
  await raise(alerts, 'b', {}, { channels: ['chat'] })
  await raise(alerts, 'c', {}, { channels: [] })
  assert.deepEqual(await taken(other, ['mail']), [], 'of another channel')
  const both = await Promise.all([taken(alerts, ['chat']), taken(other, ['chat'])])
  assert.deepEqual(both.flat().toSorted(), ['a chat', 'b chat'])
  const [delivery] = await other.take(channels, minuteMs)
  assert.ok(delivery)
  assert.deepEqual(delivery.alert, { ...(await alertOf(alerts, 'a')), at: delivery.alert.at })
  assert.deepEqual([delivery.channel, delivery.audience, delivery.tries], ['pager', 'all', 1])
  assert.ok(delivery.ageMs >= 0)
  assert.deepEqual(await taken(alerts), [])
  await alerts.putOff('a', 'pager', undefined)
  await other.putOff('b', 'chat', 10 * minuteMs)
  await pass(2 * minuteMs)
  assert.deepEqual(await taken(other), ['a chat'], 'its process died')
  await alerts.putOff('a', 'chat', 0)
  const [again] = await alerts.take(channels, minuteMs)
  assert.ok(again && again.tries === 3 && again.ageMs >= 2 * minuteMs)
  await alerts.putOff('a', 'chat', undefined)
  await alerts.putOff('a', 'chat', 0)
  await alerts.putOff('nobody', 'chat', 0)
  assert.deepEqual(await taken(alerts), [])
  await pass(10 * minuteMs)
  assert.deepEqual(await taken(alerts), ['b chat'])
}

async function notes({ alerts, other = alerts }: AlertsUnderTest): Promise<void> {
  assert.deepEqual(await alerts.notes(''), [])
  const first = await Promise.all([alerts, other, alerts, other].map((store, index) => store.change('x/a', undefined, { index })))
  assert.equal(first.filter(Boolean).length, 1)
  const [note] = await other.notes('x/')
  assert.ok(note)
  assert.equal(note.name, 'x/a')
  const second = await Promise.all([alerts, other].map((store, index) => store.change('x/a', note.version, { second: index })))
  assert.equal(second.filter(Boolean).length, 1)
  const [changed] = await alerts.notes('x/a')
  assert.ok(changed && changed.version !== note.version)
  const raised = { alert: await alertOf(alerts, 'a'), channels }
  assert.equal(await alerts.change('x/a', note.version, {}, raised), false)
  assert.deepEqual(await idsIn(alerts), [], 'the alert of a change that did not happen')
  assert.equal(await alerts.change('x/a', changed.version, { told: true }, raised), true)
  assert.deepEqual([await idsIn(other), (await alerts.notes('x/a'))[0]?.value], [['a'], { told: true }])
  await alerts.change('x_a', undefined, {})
  await alerts.change('y', undefined, {})
  assert.deepEqual(
    (await other.notes('x_')).map(({ name }) => name),
    ['x_a'],
    'a prefix is no pattern',
  )
  const latest = (await alerts.notes('x/a'))[0]!.version
  assert.equal(await other.change('x/a', latest + 1, undefined), false)
  assert.equal(await other.change('x/a', latest, undefined), true)
  assert.deepEqual(await alerts.notes('x/'), [])
  assert.equal(await alerts.change('x/a', latest, {}), false, 'it is gone')
}

async function allClears({ alerts, other = alerts }: AlertsUnderTest): Promise<void> {
  await raise(alerts, 'down')
  await raise(other, 'up', { severity: 'info', resolves: 'down' })
  await raise(other, 'odd', { resolves: 'nothing' })
  const [down, up, odd] = await Promise.all(['down', 'up', 'odd'].map(id => alerts.find(id)))
  assert.ok(down && up && odd)
  assert.ok(down.resolvedAt !== null && up.resolvedAt !== null)
  assert.deepEqual([down.state, up.state, odd.state, up.resolves], ['resolved', 'resolved', 'resolved', 'down'])
  assert.equal((await taken(alerts)).length, 6)
}

async function pages({ alerts, other = alerts }: AlertsUnderTest): Promise<void> {
  const now = await alerts.now()
  const kinds = ['cap', 'provider', 'credit'] as const
  for (let index = 0; index < 7; index++) {
    const org = index < 3 ? null : index < 5 ? 'example' : 'another'
    await raise(alerts, `a${index}`, { at: now + Math.floor(index / 2), org, kind: kinds[index % 3]! })
  }
  const first = await other.page({}, { limit: 4 })
  const last = first.at(-1)
  assert.ok(last)
  const rest = await other.page({}, { limit: 4, after: last })
  assert.deepEqual(
    [...first, ...rest].map(({ id }) => id),
    ['a6', 'a5', 'a4', 'a3', 'a2', 'a1', 'a0'],
  )
  assert.deepEqual(await idsIn(alerts, { org: 'example' }), ['a4', 'a3'])
  assert.deepEqual(await idsIn(alerts, { kind: 'provider' }), ['a4', 'a1'])
  assert.deepEqual(await idsIn(alerts, { from: now + 1, to: now + 3 }), ['a5', 'a4', 'a3', 'a2'])
  assert.equal(await alerts.acknowledge('nobody', 'token_1'), false)
  assert.equal(await other.acknowledge('a4', 'token_1'), true)
  assert.equal(await alerts.acknowledge('a4', 'token_2'), true)
  const acknowledged = await alerts.find('a4')
  assert.ok(acknowledged && acknowledged.acknowledgedAt !== null)
  assert.deepEqual([acknowledged.state, acknowledged.acknowledgedBy, acknowledged.silencedBy], ['acknowledged', 'token_1', null])
  assert.deepEqual(await idsIn(other, { state: 'acknowledged' }), ['a4'])
  assert.deepEqual(await idsIn(other, { state: 'open', org: 'example' }), ['a3'])
  assert.deepEqual(await idsIn(other, { state: 'resolved' }), [])
  assert.equal(await alerts.find('nobody'), undefined)
}

async function silence(store: AlertStore, id: string, members: Partial<Silence>): Promise<Silence> {
  const until = (await store.now()) + 10 * minuteMs
  return await store.addSilence({ id, until, kind: null, subject: null, org: null, note: null, by: 'token_1', reach: 'all', ...members })
}

async function silences({ alerts, other = alerts, pass }: AlertsUnderTest): Promise<void> {
  const added = await silence(alerts, 's1', { kind: 'provider', subject: 'provider:acme', note: 'maintenance' })
  assert.ok(Math.abs(added.at - (await alerts.now())) < minuteMs)
  await silence(other, 's2', { org: 'example', reach: 'org' })
  await silence(other, 's3', { kind: 'errors', reach: 'all' })
  const listed = await alerts.silences()
  assert.deepEqual(listed.map(({ id }) => id).toSorted(), ['s1', 's2', 's3'])
  assert.deepEqual(
    listed.find(({ id }) => id === 's1'),
    added,
  )
  await raise(alerts, 'silent', { kind: 'provider', subject: 'provider:acme', org: null })
  await raise(alerts, 'loud', { kind: 'provider', subject: 'provider:other', org: null })
  await raise(alerts, 'ours', { org: 'example' })
  await raise(alerts, 'theirs', { org: 'another' })
  await raise(alerts, 'both', { kind: 'errors', org: 'example' })
  const deliveries = await other.take(['chat'], minuteMs)
  assert.deepEqual(deliveries.map(({ alert, audience }) => `${alert.id} ${audience}`).toSorted(), [
    'loud all',
    'ours operators',
    'theirs all',
  ])
  assert.equal((await idsIn(alerts)).length, 5, 'all are listed')
  assert.deepEqual(await Promise.all(['silent', 'loud', 'ours', 'both'].map(async id => (await alerts.find(id))?.silencedBy)), [
    's1',
    null,
    's2',
    's3',
  ])
  assert.equal(await other.removeSilence('s1'), true)
  assert.equal(await alerts.removeSilence('s1'), false)
  await raise(alerts, 'again', { kind: 'provider', subject: 'provider:acme', org: null })
  assert.deepEqual(await taken(alerts, ['chat']), ['again chat'])
  await pass(11 * minuteMs)
  assert.deepEqual(await alerts.silences(), [])
  await raise(alerts, 'later', { org: 'example' })
  const later = (await alerts.take(['chat'], minuteMs)).find(({ alert }) => alert.id === 'later')
  assert.equal(later?.audience, 'all')
}

async function silencedAllClears({ alerts, pass }: AlertsUnderTest): Promise<void> {
  await silence(alerts, 's1', { kind: 'provider' })
  await raise(alerts, 'down', { kind: 'provider', org: null })
  await pass(11 * minuteMs)
  await raise(alerts, 'up', { kind: 'provider', org: null, resolves: 'down' })
  assert.deepEqual(await taken(alerts), [])
  assert.equal((await alerts.find('up'))?.silencedBy, 's1')
}

async function expiry({ alerts, pass }: AlertsUnderTest): Promise<void> {
  await raise(alerts, 'old', {}, { claims: [{ name: 'once', forMs: minuteMs }] })
  await pass(keepAlertsMs + minuteMs)
  await raise(alerts, 'new')
  await alerts.expire()
  assert.deepEqual(await idsIn(alerts), ['new'])
  assert.deepEqual(await taken(alerts, ['chat']), ['new chat'])
  assert.equal(await raise(alerts, 'again', {}, { claims: [{ name: 'once', forMs: minuteMs }] }), true)
}
