import { addedFields, storedLists } from './added-fields.ts'
import type { Expansion } from './added-index.ts'
import * as apiKeys from './0001-api-keys.ts'
import * as responses from './0002-responses.ts'
import * as masterKeyCheck from './0003-master-key-check.ts'
import * as keyRotation from './0004-key-rotation.ts'
import * as metrics from './0005-metrics.ts'
import * as accounts from './0010-accounts.ts'
import * as ledger from './0011-ledger.ts'
import * as records from './0012-records.ts'
import * as administration from './0013-administration.ts'
import * as retiredAccounts from './0014-retired-accounts.ts'
import * as usageLatency from './0020-usage-latency.ts'
import * as erasedAnswers from './0021-erased-answers.ts'
import * as earlierSecrets from './0022-earlier-secrets.ts'
import * as usageDays from './0023-usage-days.ts'
import * as recordFilters from './0024-record-filters.ts'
import * as recordCosts from './0025-record-costs.ts'
import * as usageQuarters from './0026-usage-quarters.ts'
import * as attempts from './0027-attempts.ts'
import * as conversations from './0030-conversations.ts'
import * as background from './0031-background.ts'
import * as usageSession from './0035-usage-session.ts'
import * as signOuts from './0038-sign-outs.ts'
import * as recordMeasures from './0041-record-measures.ts'
import * as alerts from './0042-alerts.ts'
import * as alertTargets from './0043-alert-targets.ts'
import * as schemaState from './0044-schema-state.ts'
import * as keyTimes from './0045-key-times.ts'
import * as messageAbout from './0045-message-about.ts'

const written: Readonly<Record<string, Expansion>> = {
  '0001-api-keys': apiKeys,
  '0002-responses': responses,
  '0003-master-key-check': masterKeyCheck,
  '0004-key-rotation': keyRotation,
  '0005-metrics': metrics,
  '0010-accounts': accounts,
  '0011-ledger': ledger,
  '0012-records': records,
  '0013-administration': administration,
  '0014-retired-accounts': retiredAccounts,
  '0020-usage-latency': usageLatency,
  '0021-erased-answers': erasedAnswers,
  '0022-earlier-secrets': earlierSecrets,
  '0023-usage-days': usageDays,
  '0024-record-filters': recordFilters,
  '0025-record-costs': recordCosts,
  '0026-usage-quarters': usageQuarters,
  '0027-attempts': attempts,
  '0030-conversations': conversations,
  '0031-background': background,
  '0035-usage-session': usageSession,
  '0038-sign-outs': signOuts,
  '0041-record-error-code-index': recordMeasures.errorCode,
  '0041-record-failed-index': recordMeasures.failed,
  '0041-record-measures-index': recordMeasures.measures,
  '0042-alerts': alerts,
  '0043-alert-targets': alertTargets,
  '0044-schema-state': schemaState,
  '0045-key-expiry-index': keyTimes.expiring,
  '0045-key-use-index': keyTimes.used,
  '0045-message-about': messageAbout,
}

/**
 * All migrations, run in the order of their names. Never change a released one, nor the `revision` of a released field. New ones only add:
 * docs/upgrades.md has the rules.
 */
export const migrations: Readonly<Record<string, Expansion>> = inOrder({ ...written, ...addedFields(storedLists) })

/** The number of the newest migration that this version knows. */
export const revision = Math.max(...Object.keys(migrations).map(revisionOf))

export function revisionOf(name: string): number {
  return Number(name.slice(0, 4))
}

function inOrder<T>(named: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(named).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
