import assert from 'node:assert/strict'
import type { AdminToken, AdminTokenStore } from '../../contracts/admin-token-store.ts'
import type { Maybe } from '../../runtime/pending.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { onEachStore, type Closing } from './on-each-store.ts'

/** A store of admin tokens under test, without tokens. */
export interface AdminTokensUnderTest extends Closing {
  /** Empty at first. */
  readonly tokens: AdminTokenStore
}

/** For `adminTokenStoreSuite`. */
export interface AdminTokenStoreSuiteOptions {
  /** Called once per test. */
  open(): Maybe<AdminTokensUnderTest>
}

const at = Date.UTC(2026, 0, 1)
const owner: AdminToken = { id: 'one', hash: 'aGFzaA', name: 'First', role: 'owner', createdAt: at }
const viewer: AdminToken = { id: 'two', hash: 'aGFzaDI', name: 'Second', role: 'viewer', org: 'example', createdAt: at + 1 }

/** Tests for every implementation of `AdminTokenStore`. */
export function adminTokenStoreSuite(t: SuiteContext, { open }: AdminTokenStoreSuiteOptions): void {
  onEachStore(t, open)('tokens are found and listed to the letter, and removed once', async ({ tokens }) => {
    assert.deepEqual(await tokens.list(), [])
    await tokens.add(owner)
    await tokens.add(viewer)
    assert.deepEqual(await tokens.find('one'), owner)
    assert.equal(await tokens.find('nobody'), undefined)
    assert.deepEqual(await tokens.list(), [owner, viewer], 'the oldest first')
    assert.equal(await tokens.remove('one'), true)
    assert.equal(await tokens.remove('one'), false)
    assert.equal(await tokens.find('one'), undefined)
    assert.deepEqual(await tokens.list(), [viewer])
  })
}
