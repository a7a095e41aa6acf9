// How long it takes to find a key and resolve its policy, with warm caches: `node --conditions=turnpike-source bench/admission.ts`.
import { createHmac } from 'node:crypto'
import { Accounts } from '../core/admission/accounts.ts'
import { Admission } from '../core/admission/admit.ts'
import { issueApiKey } from '../core/admission/api-key.ts'
import { PolicyResolver } from '../core/admission/policy.ts'
import { StoredRows } from '../core/admission/stored-rows.ts'
import { Tickets } from '../core/admission/tickets.ts'
import { systemClock } from '../core/foundation/clock.ts'
import { createLogger } from '../core/foundation/logger.ts'
import { Masks } from '../core/foundation/masks.ts'
import { Registry } from '../core/framework/registry.ts'
import type { Guardrail, PolicySource } from '../core/index.ts'
import { accountLevels, type Sealer } from '../core/stores.ts'
import { MemoryAccounts } from '../plugins/stores/memory/accounts.ts'
import { MemoryKeys } from '../plugins/stores/memory/keys.ts'

const rounds = 200_000
const mostMicroseconds = 10

const sealer = { mac: (_: string, text: string) => createHmac('sha256', 'pepper').update(text).digest() } as unknown as Sealer
const keys = new MemoryKeys()
const accounts = new MemoryAccounts(keys)
const { key, text } = issueApiKey(sealer, 0, { name: 'bench', org: 'example', team: 'research', user: 'ada', spendCapUsd: 5 })
keys.add(key)
for (const [level, id] of [
  ['org', 'example'],
  ['team', 'research'],
  ['user', 'ada'],
] as const)
  accounts.add({
    level,
    org: 'example',
    id,
    name: id,
    policy: { zdr: { value: true, enforced: level === 'team' } },
    spendCapUsd: 9,
    createdAt: 0,
  })
const sources = new Registry<PolicySource>('policy source', source => source.level)
for (const level of accountLevels)
  sources.add({ level, readsAccounts: true, policy: each => accounts.find({ level, org: each.org, id: each[level]! })?.policy }, 'bench')
const log = createLogger('silent', new Masks())
const policies = new PolicyResolver(sources, new Registry<Guardrail>('guardrail', ({ name }) => name), log)
const rows = new StoredRows(new Map(), log)
const admission = new Admission(keys, sealer, policies, new Accounts(accounts), rows, new Tickets(), systemClock)
const record = { key: undefined }
const headers = new Headers({ authorization: `Bearer ${text}` })

const times: number[] = []
for (let run = 0; run < 7; run++) {
  const start = performance.now()
  for (let round = 0; round < rounds; round++) {
    const caller = admission.admit(headers, record)
    if (caller instanceof Promise) throw new Error('it waited for a store')
  }
  times.push(((performance.now() - start) * 1000) / rounds)
}
const median = times.toSorted((a, b) => a - b)[3]!
console.log(
  `${median.toFixed(2)} µs for a key with three accounts, at most ${mostMicroseconds} µs: ${median <= mostMicroseconds ? 'met' : 'MISSED'}`,
)
if (median > mostMicroseconds) process.exitCode = 1
