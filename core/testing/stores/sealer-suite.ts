import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { SealContext, Sealer } from '../../contracts/sealer.ts'
import type { Maybe } from '../../runtime/pending.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { onEachStore, type Closing } from './on-each-store.ts'

/** A sealer under test. */
export interface SealerUnderTest extends Closing {
  /** Seals and opens with one master key. */
  readonly sealer: Sealer
  /** The sealer of another gateway with the same master key. Undefined if there can be none. */
  readonly other?: Sealer
  /** A sealer with another master key. */
  readonly stranger: Sealer
}

/** For `sealerSuite`. */
export interface SealerSuiteOptions {
  /** Called once per test. */
  open(): Maybe<SealerUnderTest>
}

/** Tests for every implementation of `Sealer`. */
export function sealerSuite(t: SuiteContext, { open }: SealerSuiteOptions): void {
  const test = onEachStore(t, open)
  test('opens what it sealed, of any size', opens)
  test('opens under the same context only', bindsContext)
  test('opens nothing that was changed, cut or made up', noticesChanges)
  test('macs depend on the key, the purpose and the text', macs)
}

const context: SealContext = { org: 'example', purpose: 'reasoning', provider: 'acme', account: 'a1', model: 'one' }
const text = Buffer.from('a thought that nobody else may read')

function isOpened(opened: Uint8Array | undefined, bytes: Uint8Array, message?: string): void {
  assert.ok(opened && Buffer.from(opened).equals(bytes), message ?? `${bytes.length} bytes must open as they were sealed`)
}

async function opens({ sealer, other = sealer }: SealerUnderTest): Promise<void> {
  for (const bytes of [text, Buffer.alloc(0), randomBytes(1_000_000)]) {
    const sealed = sealer.seal(context, bytes)
    isOpened(sealer.open(context, sealed), bytes)
    isOpened(other.open(context, sealed), bytes)
    assert.equal(sealer.isCurrent(sealed), true)
  }
  assert.equal(sealer.hasKey, true)
  assert.equal(typeof sealer.isShared, 'boolean')
  assert.equal(typeof sealer.keySource, 'string')
  isOpened(sealer.open({ ...context }, new Uint8Array(sealer.seal(context, text))), text, 'from plain bytes, too')
  assert.ok(!Buffer.from(sealer.seal(context, text)).includes('thought'))
  assert.notDeepEqual(sealer.seal(context, text), sealer.seal(context, text), 'never the same twice')
}

async function bindsContext({ sealer }: SealerUnderTest): Promise<void> {
  const sealed = sealer.seal(context, text)
  for (const member of ['org', 'purpose', 'provider', 'account', 'model'] as const)
    assert.equal(sealer.open({ ...context, [member]: 'other' }, sealed), undefined, member)
  const { org, purpose } = context
  assert.equal(sealer.open({ org, purpose }, sealed), undefined)
  const bare = sealer.seal({ org, purpose, provider: 'a', account: 'b' }, text)
  assert.equal(sealer.open({ org, purpose, provider: 'a', model: 'b' }, bare), undefined, 'members do not run into one another')
  assert.equal(sealer.open({ org, purpose, provider: 'a","b' }, bare), undefined)
  isOpened(sealer.open({ org, purpose, provider: 'a', account: 'b', model: undefined }, bare), text, 'undefined is absent')
}

async function noticesChanges({ sealer, stranger }: SealerUnderTest): Promise<void> {
  const sealed = sealer.seal(context, text)
  for (let index = 0; index < sealed.length; index++) {
    const changed = Uint8Array.from(sealed)
    changed[index]! ^= 1
    assert.equal(sealer.open(context, changed), undefined, `a change of byte ${index}`)
  }
  for (let length = 0; length < sealed.length; length++)
    assert.equal(sealer.open(context, sealed.subarray(0, length)), undefined, `a cut to ${length} bytes`)
  assert.equal(sealer.open(context, Buffer.concat([sealed, Buffer.of(0)])), undefined)
  assert.equal(sealer.open(context, randomBytes(100)), undefined)
  assert.equal(stranger.open(context, sealed), undefined, 'nor under another master key')
}

async function macs({ sealer, other = sealer, stranger }: SealerUnderTest): Promise<void> {
  const mac = sealer.mac('api-key', 'tp_demo_secret')
  assert.equal(mac.length, 32)
  assert.deepEqual(other.mac('api-key', 'tp_demo_secret'), mac)
  assert.notDeepEqual(sealer.mac('cache-key', 'tp_demo_secret'), mac)
  assert.notDeepEqual(sealer.mac('api-key', 'tp_demo_secrets'), mac)
  assert.notDeepEqual(stranger.mac('api-key', 'tp_demo_secret'), mac)
}
