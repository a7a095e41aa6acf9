import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { CatalogSources, invalidRequest, ProviderFailure, Routes, type GenerationEvent, type Route } from '../../core/index.ts'
import { wording } from '../../core/kit.ts'
import { failureReasons, type FailureReason } from '../../core/contracts/failure-reason.ts'
import type { KeySettings } from '../../core/contracts/key-store.ts'
import type { ShownRecord } from '../../core/contracts/record-fields.ts'
import type { PluginUse } from '../../core/framework/plugin.ts'
import admin from '../../plugins/endpoints/admin/index.ts'
import zdr from '../../plugins/guardrails/zdr/index.ts'
import accountPolicies from '../../plugins/policies/accounts/index.ts'
import memory from '../../plugins/stores/memory/index.ts'
import sql from '../../plugins/stores/sql/index.ts'
import { gateway, hello, scripted } from '../kit/gateway.ts'
import { adding, guarding } from '../kit/stage.ts'

type Kind = FailureReason['kind']
type Key = Partial<KeySettings>

const hour = 3_600_000
const limited = { limits: [{ requests: 1, windowMs: hour }] }

/** A failure, its status, and what the record says. */
interface Case {
  readonly kind: Kind
  readonly level?: NonNullable<FailureReason['level']>
  readonly status: number
  readonly key?: Key
  readonly model?: string
  /** Requests before it, which go on while it runs. */
  readonly before?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly path?: string
  readonly message: RegExp
}

const cases: readonly Case[] = [
  { kind: 'request', status: 400, model: 'nonsense', message: /./ },
  { kind: 'authentication', status: 401, headers: { authorization: 'Bearer nonsense' }, message: /^The API key is malformed/ },
  {
    kind: 'permission',
    level: 'key',
    status: 403,
    key: { models: ['other'] },
    message: /^This API key may not use the model "…"\. It may use: other\.$/,
  },
  {
    kind: 'policy',
    level: 'key',
    status: 422,
    key: { policy: { zdr: { value: true } } },
    message: /^Zero data retention is on .*set by the key/,
  },
  { kind: 'policy', level: 'org', status: 422, key: { org: 'locked' }, message: /set by the org/ },
  { kind: 'guardrail', status: 400, key: { guardrails: ['picky'] }, message: /^No\.$/ },
  { kind: 'limit', level: 'key', status: 429, key: limited, before: 1, message: /^This API key's limit is 1 request per hour/ },
  {
    kind: 'concurrency',
    level: 'key',
    status: 429,
    key: { maxConcurrency: 1 },
    model: 'stuck/m',
    before: 1,
    message: /1 request to models/,
  },
  { kind: 'cap', level: 'key', status: 402, key: { spendCapUsd: 0.000_000_1 }, model: 'priced', message: /^The spend cap of this API key/ },
  { kind: 'cap', level: 'team', status: 402, key: { org: 'capped', team: 'poor' }, model: 'priced', message: /^The spend cap of the team/ },
  { kind: 'credit', level: 'org', status: 402, key: { org: 'broke' }, model: 'priced', message: /^The credit of the organization/ },
  { kind: 'overload', status: 503, model: 'narrow/m', before: 1, message: /^The provider "narrow" is busy/ },
  { kind: 'vendor', status: 424, model: 'down/m', message: /^The provider "down" failed: …$/ },
  { kind: 'timeout', status: 504, model: 'late/m', message: /^The provider "late" took too long: …$/ },
  { kind: 'gateway', status: 500, path: '/broken', message: /^The gateway failed to handle this request/ },
]

const broken: Route = {
  method: 'GET',
  path: '/broken',
  auth: 'key',
  handle() {
    throw new TypeError('a bug')
  },
}

async function* hanging(signal: AbortSignal): AsyncGenerator<GenerationEvent> {
  await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
  throw signal.reason
}

function plugins(stores: readonly PluginUse[]): PluginUse[] {
  return [
    ...stores,
    admin({}),
    accountPolicies({}),
    zdr({}),
    guarding({ input: () => ({ refuse: invalidRequest(wording`No.`) }) }, { name: 'picky', applies: 'key' }),
    adding(Routes, broken),
    adding(CatalogSources, {
      name: 'priced',
      entries: () => [{ model: 'priced', endpoints: [{ provider: 'acme', price: { input: 1_000, output: 1_000 } }] }],
    }),
    scripted('acme', async function* () {
      yield* hello
    }),
    scripted('stuck', ({ signal }) => hanging(signal)),
    scripted('narrow', ({ signal }) => hanging(signal), { maxConcurrent: 1, maxQueued: 0 }),
    scripted('down', async function* () {
      const upstream = '{"error":{"code":"server_overloaded","message":"the prompt was secret"}}'
      throw new ProviderFailure({ kind: 'overloaded', status: 503, message: 'secret', upstream, requestId: 'req-vendor-7' })
    }),
    scripted('late', async function* () {
      throw new ProviderFailure({ kind: 'timeout', message: 'secret' })
    }),
  ]
}

for (const [name, storesOf] of [
  ['memory', () => [memory({})]],
  ['SQLite', (t: Test) => [memory({ services: ['metrics', 'limits', 'ledger'] }), sql({ file: `${t.testdir({})}/gateway.db` })]],
] as const)
  t.test(`every reason of a failure is in the record: ${name}`, async t => {
    const under = await gateway({ plugins: plugins(storesOf(t)), settings: { retries: 0, creditWaitMs: 0 } })
    t.teardown(under.stop)
    // As the sockets of callers would.
    const held = setInterval(() => {}, 60_000)
    t.teardown(() => clearInterval(held))
    const { app, localToken } = under.gateway.admin!
    const call = async (method: string, path: string, body?: object): Promise<any> => {
      const headers = { authorization: `Bearer ${localToken}`, 'content-type': 'application/json' }
      const reply = await app.h3.request(`/admin/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      return await reply.json()
    }
    await call('POST', '/orgs', { id: 'locked', name: 'locked', policy: { zdr: { value: true, enforced: true } } })
    await call('POST', '/orgs', { id: 'capped', name: 'capped' })
    await call('POST', '/teams', { id: 'poor', name: 'poor', org: 'capped', spend_cap_usd: 0.000_001 })
    await call('POST', '/orgs', { id: 'broke', name: 'broke' })
    await call('POST', '/orgs/broke/credits', { amount_usd: 0.000_001 })
    const recordOf = async (id: string): Promise<ShownRecord> => {
      for (;;) {
        const record = await call('GET', `/records/${id}`)
        if (record.id !== undefined) return record
        await sleep(5)
      }
    }
    const seen = new Set<Kind>()
    const leaving = new AbortController()
    const left: Promise<unknown>[] = []
    const ask = (each: Case, key: string, signal?: AbortSignal): Promise<Response> =>
      under.request(each.path ?? '/v1/responses', {
        headers: { authorization: `Bearer ${key}`, ...each.headers },
        ...(each.path === undefined && { body: { model: each.model ?? 'acme/m', input: 'hello' } }),
        ...(signal && { signal }),
      })
    for (const each of cases) {
      const key = await under.gateway.issueKey({ name: each.kind, ...each.key })
      for (let index = 0; index < (each.before ?? 0); index++) {
        const first = ask(each, key, leaving.signal).catch(() => undefined)
        if (each.kind === 'limit') await first
        else left.push(first)
      }
      await sleep(0)
      const reply = await ask(each, key)
      const record = await recordOf(reply.headers.get('x-request-id')!)
      seen.add(record.reason!)
      t.equal(reply.status, each.status, each.kind)
      t.match(record, { status: each.status, reason: each.kind, reason_level: each.level ?? null, error_message: each.message }, each.kind)
    }
    leaving.abort()
    await Promise.all(left)
    for (const [kind, status] of [['left', 499]] as const) {
      let found: any
      do {
        await sleep(5)
        found = (await call('GET', `/records?reason=${kind}`)).data
      } while (found.length < 2)
      t.match(found, [{ status, reason: kind, error_code: 'client_closed_request' }, { status }])
      seen.add(kind)
    }
    t.same([...seen].toSorted(), failureReasons.toSorted(), 'each of them')

    const [down] = (await call('GET', '/records?reason=vendor')).data
    const vendor = { vendor_status: 503, vendor_code: 'server_overloaded', vendor_request_id: 'req-vendor-7' }
    t.match(down, { ...vendor, attempts: [{ status: 503, vendor_code: 'server_overloaded', request_id: 'req-vendor-7' }] })
    t.notMatch(JSON.stringify(down), /secret/, 'nothing of what the vendor said')
    t.match((await call('GET', '/records?reason=nonsense')).error, { param: 'reason', message: /expected one of request, authentication/ })
  })
