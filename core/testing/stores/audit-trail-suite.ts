import assert from 'node:assert/strict'
import type { AuditEntry, AuditTrail } from '../../contracts/audit-trail.ts'
import type { Maybe } from '../../runtime/pending.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { onEachStore, type Closing } from './on-each-store.ts'

/** An audit trail under test, without entries. */
export interface AuditUnderTest extends Closing {
  /** Empty at first. */
  readonly audit: AuditTrail
}

/** For `auditTrailSuite`. */
export interface AuditTrailSuiteOptions {
  /** Called once per test. */
  open(): Maybe<AuditUnderTest>
}

/** Tests for every implementation of `AuditTrail`. */
export function auditTrailSuite(t: SuiteContext, { open }: AuditTrailSuiteOptions): void {
  const test = onEachStore(t, open)
  test('pages go back in time', pages)
  test('entries are found by their organization, actor, target and time', filters)
}

const at = Date.UTC(2026, 0, 1)

function entry(index: number): AuditEntry {
  return {
    id: `audit_${index}`,
    at: at + Math.floor(index / 2),
    actor: index % 2 ? 'command-line' : 'token_1',
    action: 'keys.update',
    target: `key_${index}`,
    org: index < 3 ? null : 'example',
    changes: { disabled: { from: false, to: true } },
  }
}

async function addAll(audit: AuditTrail): Promise<void> {
  for (let index = 0; index < 7; index++) await audit.add(entry(index))
}

function idsOf(entries: readonly AuditEntry[]): readonly string[] {
  return entries.map(({ id }) => id.slice(-1))
}

async function pages({ audit }: AuditUnderTest): Promise<void> {
  assert.deepEqual(await audit.page({}, { limit: 9 }), [])
  await addAll(audit)
  const first = await audit.page({}, { limit: 4 })
  assert.deepEqual(first[0], entry(6))
  const last = first.at(-1)
  assert.ok(last)
  assert.deepEqual(idsOf([...first, ...(await audit.page({}, { limit: 4, after: last }))]), ['6', '5', '4', '3', '2', '1', '0'])
}

async function filters({ audit }: AuditUnderTest): Promise<void> {
  await addAll(audit)
  assert.deepEqual(idsOf(await audit.page({ org: 'example' }, { limit: 9 })), ['6', '5', '4', '3'])
  assert.deepEqual(idsOf(await audit.page({ actor: 'command-line', from: at + 1 }, { limit: 9 })), ['5', '3'])
  assert.deepEqual(idsOf(await audit.page({ target: 'key_2', to: at + 2 }, { limit: 9 })), ['2'])
}
