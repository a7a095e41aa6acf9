import assert from 'node:assert/strict'
import type { AlertTargets, AlertTargetSettings } from '../../contracts/alert-targets.ts'
import type { Maybe } from '../../runtime/pending.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { onEachStore, type Closing } from '../stores/on-each-store.ts'

/** The service `AlertTargets` under test, without targets of organizations. */
export interface ManagedTargetsUnderTest extends Closing {
  /** Empty at first. */
  readonly targets: AlertTargets
}
/** For `alertTargetsSuite`. */
export interface AlertTargetsSuiteOptions {
  /** Called once per test. */
  open(): Maybe<ManagedTargetsUnderTest>
}

const address = 'https://alerts.example.com/hooks/demo-token-4711'

function settings(more: Partial<AlertTargetSettings> = {}): AlertTargetSettings {
  return { name: 'On call', url: address, format: 'json', kinds: null, minSeverity: 'warning', disabled: false, ...more }
}

/** Tests for every implementation of `AlertTargets`. */
export function alertTargetsSuite(t: SuiteContext, { open }: AlertTargetsSuiteOptions): void {
  const test = onEachStore(t, open)
  test('a target is found as it was added, without its address and secret', async ({ targets }) => {
    const { target, secret } = await targets.add('acme', settings())
    assert.ok(secret, 'a secret is made for the format json')
    const found = await targets.find(target.id)
    for (const view of [target, found, ...(await targets.page('acme', { limit: 10 }))]) {
      assert.equal(view?.name, 'On call')
      assert.equal(view.org, 'acme')
      assert.equal(view.host, 'alerts.example.com')
      for (const text of ['demo-token-4711', secret]) assert.ok(!JSON.stringify(view).includes(text), 'its address and secret stay hidden')
    }
    assert.equal(await targets.find('unknown'), undefined)
  })
  test('organizations do not see one another', async ({ targets }) => {
    const { target } = await targets.add('acme', settings())
    await targets.add('example', settings({ name: 'Other' }))
    const names = async (org: string): Promise<readonly string[]> => (await targets.page(org, { limit: 10 })).map(({ name }) => name)
    assert.deepEqual([await names('acme'), await names('example'), await names('nobody')], [['On call'], ['Other'], []])
    await targets.removeAll('example')
    assert.ok(await targets.find(target.id))
    assert.deepEqual(await names('example'), [])
  })
  test('a change changes its members alone', async ({ targets }) => {
    const { target } = await targets.add('acme', settings({ kinds: ['cap'] }))
    await targets.update(target.id, { name: 'Night', disabled: true })
    const changed = await targets.find(target.id)
    assert.deepEqual([changed?.name, changed?.disabled, changed?.kinds, changed?.host], ['Night', true, ['cap'], 'alerts.example.com'])
    assert.equal(await targets.update('unknown', { name: 'x' }), undefined)
  })
  test('a target is removed once', async ({ targets }) => {
    const { target } = await targets.add('acme', settings())
    assert.deepEqual([await targets.remove(target.id), await targets.remove(target.id)], [true, false])
    assert.equal(await targets.find(target.id), undefined)
  })
  test('pages go on after the last one', async ({ targets }) => {
    for (let index = 0; index < 5; index++) await targets.add('acme', settings({ name: `Target ${index}` }))
    const first = await targets.page('acme', { limit: 3 })
    const { id, createdAt } = first.at(-1)!
    const rest = await targets.page('acme', { limit: 3, after: { id, at: createdAt } })
    assert.equal(new Set([...first, ...rest].map(target => target.id)).size, 5)
  })
}
