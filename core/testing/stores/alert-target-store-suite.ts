import assert from 'node:assert/strict'
import type { AlertTarget, AlertTargetStore } from '../../contracts/alert-target.ts'
import type { Maybe } from '../../runtime/pending.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { onEachStore, type Closing } from './on-each-store.ts'

/** A store of targets under test, without any. */
export interface AlertTargetsUnderTest extends Closing {
  /** Empty at first. */
  readonly targets: AlertTargetStore
  /** The same store as another gateway has it. */
  readonly other?: AlertTargetStore
}

/** For `alertTargetStoreSuite`. */
export interface AlertTargetStoreSuiteOptions {
  /** Called once per test. */
  open(): Maybe<AlertTargetsUnderTest>
}

const at = Date.UTC(2026, 0, 1)

function targetOf(id: string, more: Partial<AlertTarget> = {}): AlertTarget {
  return {
    id,
    org: 'example',
    name: 'On call “\u{1F6A8}”',
    format: 'json',
    url: `https://hooks.example.com/${id}?token=demo`,
    secrets: [`whsec_${'c2VjcmV0'.repeat(4)}`, 'whsec_b2xk'],
    kinds: ['cap', 'key-unused'],
    minSeverity: 'warning',
    disabled: false,
    createdAt: at,
    ...more,
  }
}

/** Tests for every implementation of `AlertTargetStore`. */
export function alertTargetStoreSuite(t: SuiteContext, { open }: AlertTargetStoreSuiteOptions): void {
  const test = onEachStore(t, open)

  test('a target is found to the letter, changed and removed', async ({ targets, other = targets }) => {
    const target = targetOf('a')
    assert.equal(await targets.add(target, 20), true)
    assert.deepEqual(await other.find('a'), target)
    assert.equal(await other.find('b'), undefined)
    const changed = { ...target, name: 'Another', secrets: [], kinds: null, disabled: true }
    assert.deepEqual(await other.update('a', () => ({ name: 'Another', secrets: [], kinds: null, disabled: true })), changed)
    assert.deepEqual(await targets.find('a'), changed)
    assert.equal(await targets.update('b', () => ({ name: 'x' })), undefined)
    assert.equal(await other.remove('a'), true)
    assert.equal(await targets.remove('a'), false)
    assert.equal(await targets.find('a'), undefined)
  })

  test('lists begin with the oldest, of one organization or of all', async ({ targets }) => {
    const all = [targetOf('b'), targetOf('c'), targetOf('a', { createdAt: at + 1 }), targetOf('d', { org: 'other', createdAt: at + 2 })]
    for (const target of all.toReversed()) await targets.add(target, 20)
    const idsOf = async (org: string | undefined, query: Parameters<AlertTargetStore['page']>[1]): Promise<readonly string[]> =>
      (await targets.page(org, query)).map(({ id }) => id)
    assert.deepEqual(await targets.page('example', { limit: 1 }), [all[0]])
    assert.deepEqual(await idsOf('example', { limit: 10 }), ['b', 'c', 'a'])
    assert.deepEqual(await idsOf(undefined, { limit: 10 }), ['b', 'c', 'a', 'd'])
    assert.deepEqual(await idsOf(undefined, { limit: 2, after: { at, id: 'b' } }), ['c', 'a'])
    assert.deepEqual(await idsOf('nobody', { limit: 10 }), [])
  })

  test('an organization has no more than it may, in all gateways together', async ({ targets, other = targets }) => {
    const added = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => (index % 2 ? targets : other).add(targetOf(`t${index}`), 5)),
    )
    assert.equal(added.filter(each => each).length, 5)
    assert.equal((await targets.page('example', { limit: 20 })).length, 5)
    assert.equal(await targets.add(targetOf('of-another', { org: 'other' }), 5), true)
  })

  test('changes at the same time are all kept', async ({ targets, other = targets }) => {
    await targets.add(targetOf('a', { name: '' }), 20)
    await Promise.all(
      Array.from({ length: 6 }, async (_, index) => (index % 2 ? targets : other).update('a', ({ name }) => ({ name: `${name}x` }))),
    )
    assert.equal((await targets.find('a'))?.name, 'xxxxxx')
  })
}
