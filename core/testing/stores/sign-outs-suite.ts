import assert from 'node:assert/strict'
import type { SignOuts } from '../../contracts/sign-outs.ts'
import type { Maybe } from '../../runtime/pending.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { onEachStore, type Closing } from './on-each-store.ts'

/** A store of sign-outs under test, without any. */
export interface SignOutsUnderTest extends Closing {
  /** Empty at first. */
  readonly signOuts: SignOuts
  /** The same store as another gateway has it. */
  readonly other?: SignOuts
}

/** For `signOutsSuite`. */
export interface SignOutsSuiteOptions {
  /** Called once per test. */
  open(): Maybe<SignOutsUnderTest>
}

const hourMs = 3_600_000

/** Tests for every implementation of `SignOuts`. */
export function signOutsSuite(t: SuiteContext, { open }: SignOutsSuiteOptions): void {
  onEachStore(t, open)('a sign-out is known at once, and no other session has ended', async ({ signOuts, other = signOuts }) => {
    assert.equal(await other.has('one'), false)
    await signOuts.add('one', hourMs)
    assert.deepEqual([await other.has('one'), await signOuts.has('one')], [true, true])
    assert.deepEqual([await other.has('two'), await other.has('')], [false, false])
    await other.add('one', hourMs)
    assert.equal(await signOuts.has('one'), true, 'twice is no mistake')
    const ids = Array.from({ length: 50 }, (_, index) => `session-${index}`)
    await Promise.all(ids.map(id => signOuts.add(id, hourMs)))
    for (const id of ids) assert.equal(await other.has(id), true)
  })
}
