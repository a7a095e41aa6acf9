import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import pTimeout from 'p-timeout'
import type { ApiKey } from '../../contracts/key-fields.ts'
import { policyFields, type PolicyLayer, type PolicySource } from '../../contracts/policy.ts'
import { isObject } from '../../foundation/json.ts'
import { PolicySources } from '../../framework/extension-points.ts'
import { onStage, type CallStage, type CallSuiteOptions } from '../call-stage.ts'
import { frozen } from '../frozen.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { onEachPlugin } from './on-each-plugin.ts'

/** For `policySourceSuite`. */
export interface PolicySourceSuiteOptions extends CallSuiteOptions {
  /** Keys for which it sets something, and what. */
  readonly examples?: readonly {
    /** Missing members are those of a demo key. */
    readonly key: Partial<ApiKey>
    /** Compared deeply with the one that it returns. */
    readonly policy: PolicyLayer
  }[]
}

/** Tests for every policy source. */
export function policySourceSuite(t: SuiteContext, options: PolicySourceSuiteOptions): void {
  const test = onEachPlugin(t, options, PolicySources)
  test('answers for any key in time, with settings that have an effect', async source => answers(source, options))
  test('says what its examples say', async source => {
    for (const { key, policy } of options.examples ?? []) assert.deepEqual(await asked(source, keyOf(key)), policy)
  })
  test('what it returned does not change', async source => keeps(source, options))
  t.test('requests below it are served', () => onStage(options, serves))
}

function keyOf(members: Partial<ApiKey>): ApiKey {
  return frozen({ id: 'demo', hash: 'aGFzaA', name: 'Demo', org: 'default', policy: {}, createdAt: 0, ...members })
}

const anyKeys: readonly Partial<ApiKey>[] = [
  {},
  { org: 'acme', team: 'research', user: 'ada' },
  { org: 'constructor', team: '__proto__', user: 'toString' },
  { org: 'x'.repeat(256), policy: { zdr: { value: true }, logging: { value: true } } },
  { disabled: true, expiresAt: 1, metadata: { a: 'b' } },
]

function keysOf({ examples = [] }: PolicySourceSuiteOptions): readonly ApiKey[] {
  return [...examples.map(({ key }) => key), ...anyKeys].map(keyOf)
}

async function asked(source: PolicySource, key: ApiKey): Promise<PolicyLayer | undefined> {
  const { timeoutMs = 2_000 } = source
  const message = `no answer for the organization ${key.org} within ${timeoutMs} ms`
  return await pTimeout(Promise.resolve(source.policy(key)), { milliseconds: timeoutMs, message })
}

async function answers(source: PolicySource, options: PolicySourceSuiteOptions): Promise<void> {
  for (const key of keysOf(options)) {
    const layer: unknown = await asked(source, key)
    if (layer === undefined) continue
    assert.ok(isObject(layer) && Object.getPrototypeOf(layer) === Object.prototype, 'a policy must be a plain object, or undefined')
    for (const [field, setting] of Object.entries(layer)) {
      assert.ok((policyFields as readonly string[]).includes(field), `the field ${field} is unknown: expected ${policyFields.join(', ')}`)
      assert.ok(isObject(setting), `${field} must be an object with \`value\` and \`enforced\``)
      const { value, enforced, settings, ...others } = setting
      assert.equal(typeof value, 'boolean', `${field}.value must be true or false`)
      assert.equal(enforced, true, `${field} has no effect: above a key, only settings with \`enforced: true\` have one`)
      assert.deepEqual(Object.keys(others), [], `${field} has unknown members`)
      if (settings !== undefined)
        assert.ok(isDeepStrictEqual(JSON.parse(JSON.stringify(settings)), settings), `${field}.settings must be JSON`)
    }
  }
}

async function keeps(source: PolicySource, options: PolicySourceSuiteOptions): Promise<void> {
  for (const key of keysOf(options)) {
    const first = await asked(source, key)
    const copy = structuredClone(first)
    for (const other of keysOf(options)) await asked(source, other)
    assert.deepEqual(first, copy, 'an object that was returned must not change: core keeps it')
    assert.deepEqual(await asked(source, key), copy, 'the same key has the same policy')
  }
}

async function serves(stage: CallStage): Promise<void> {
  const asked = await Promise.all(Array.from({ length: 10 }, () => stage.ask('hello')))
  // A policy may forbid a request, but must not make it fail.
  for (const { status } of asked) assert.ok(status < 500, `status ${status}`)
}
