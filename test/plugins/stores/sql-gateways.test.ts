import { join } from 'node:path'
import type { Kysely } from 'kysely'
import t, { type Test } from 'tap'
import { fakeUpstream, Gate, sseFrame, type FakeReply, type ReceivedRequest } from '../../../core/testing/index.ts'
import { openPostgres } from '../../../plugins/stores/sql/postgres/open.ts'
import { openSqlite } from '../../../plugins/stores/sql/sqlite/open.ts'
import type { Tables } from '../../../plugins/stores/sql/tables.ts'
import { fakeTime } from '../../kit/fake-time.ts'
import { Workplace } from '../../kit/turnpike-process.ts'
import { silent } from './databases.ts'
import { adminOf, adminToken, nano, recordsOf, type Admin } from './gateway-admin.ts'
import { noPostgres, startPostgres } from './postgres-server.ts'
import { pricedConfig } from './priced-config.ts'
import { masterKey } from './sql.ts'

// Two gateways with one database get 500 requests at once, which may cost five times as much as they are allowed to, and then some more. With
// Postgres, the clock of one of them is five minutes late. What else may go wrong is in test/gateway/scaling, for npm run test:long.

const requests = 500
/** While these come, others are settled. */
const laterRequests = 200
/** Pays for about 90 requests at once. */
const limitUsd = 0.02
/** Until each gateway has refused as many, no request is answered, so that all are under way at once. */
const refusedFirst = 50

t.test('two gateways on one SQLite file', { timeout: 600_000 }, async t => {
  await checkGateways(t, [{}, {}], async folder => (await openSqlite(join(folder, 'data', 'turnpike.db'))).database)
})

t.test('two gateways on one Postgres server', { skip: noPostgres, timeout: 600_000 }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.stop())
  const url = await server.createDatabase()
  const late = fakeTime.missing === false ? fakeTime.by('-5m') : t.comment(fakeTime.missing)
  await checkGateways(
    t,
    [{ DATABASE_URL: url }, { DATABASE_URL: url, ...late }],
    async () => (await openPostgres({ url, maxConnections: 2 }, silent)).database,
  )
})

async function checkGateways(
  t: Test,
  environments: readonly Readonly<Record<string, string>>[],
  open: (folder: string) => Promise<Kysely<Tables>>,
): Promise<void> {
  let gate = new Gate()
  let before = 0
  const upstream = await fakeUpstream(request => {
    // Far more than the limit pays for, so the test fails, but it ends.
    if (upstream.requests.length - before > requests / 2) gate.open()
    return answer(request, gate)
  })
  t.teardown(() => upstream.close())
  const workplace = new Workplace(pricedConfig(upstream.url, "logLevel: 'error'"))
  t.teardown(() => workplace.remove())
  const secrets = { GATEWAY_MASTER_KEY: masterKey, GATEWAY_ADMIN_TOKEN: adminToken }
  const gateways = environments.map(environment => workplace.spawn(['start'], [], { ...environment, ...secrets }))
  t.teardown(() => gateways.forEach(gateway => gateway.signal('SIGKILL')))
  const urls = await Promise.all(gateways.map(gateway => gateway.url()))
  const [, adminUrl] = await gateways[0]!.says(/The admin API is on (http:\S+)/)
  const database = await open(workplace.path)
  t.teardown(() => database.destroy())
  const admin = adminOf(adminUrl!)

  for (const [name, limit] of Object.entries(limits)) {
    gate = new Gate()
    const org = `org-${name}`
    await admin('POST', '/orgs', { id: org, name: org })
    before = upstream.requests.length
    const keys = await limit.make(admin, org)
    let heldUsd = 0
    const look = async (): Promise<void> => void (heldUsd = await limit.heldUsd(admin, org))
    const statuses = [...(await askAll(urls, keys, requests, gate, look)), ...(await askAll(urls, keys, laterRequests, gate))]
    t.ok(heldUsd > limitUsd / 2 && heldUsd <= limitUsd, `${heldUsd} USD were held while no request had been answered`)
    const count = (status: number): number => statuses.filter(each => each === status).length
    const served = upstream.requests.length - before
    t.equal(count(200) + count(400), served, 'what the provider got was answered, or failed as it failed there')
    t.equal(count(402), statuses.length - served, 'everything else was refused')

    const records = await recordsOf(admin, org, statuses.length)
    const costs = records.map(({ cost_usd: usd }) => nano(usd ?? 0))
    const charged = costs.reduce((sum, cost) => sum + cost, 0)
    const most = nano(limitUsd)
    t.ok(charged <= most, `${name}: ${charged} nano-dollars of ${most} were charged`)
    t.ok(charged > most / 4, 'and not much less')
    t.comment(
      `${name}: ${count(200)} answered, ${count(400)} failed, ${count(402)} refused; ${((100 * charged) / most).toFixed(1)}% charged`,
    )

    t.equal(nano(await limit.spentUsd(admin, org)), charged, 'the limit counts what is in the records')
    const usage = await admin('GET', `/usage?org=${org}&bucket=total&group_by=org`)
    t.same(
      usage.data.map((row: any) => [row.requests, nano(row.cost_usd)]),
      [[statuses.length, charged]],
      'so does usage',
    )
    const entries = await database.selectFrom('credit_entry').select('amount').where('org', '=', org).execute()
    const balance = await database.selectFrom('credit').select('balance').where('org', '=', org).executeTakeFirst()
    t.equal(
      balance?.balance ?? 0,
      entries.reduce((sum, { amount }) => sum + amount, 0),
      'the balance is the sum of its entries',
    )
    await checkNothingHeld(t, database)
  }

  for (const gateway of gateways) gateway.signal('SIGTERM')
  for (const { exitCode, stderr } of await Promise.all(gateways.map(({ finished }) => finished)))
    t.same([exitCode, stderr], [0, ''], 'no gateway had anything to complain about')
}

interface Limit {
  /** Returns the keys of the organization. */
  make(admin: Admin, org: string): Promise<readonly string[]>
  spentUsd(admin: Admin, org: string): Promise<number>
  heldUsd(admin: Admin, org: string): Promise<number>
}

const limits: Readonly<Record<string, Limit>> = {
  key: {
    make: async (admin, org) => [await keyIn(admin, { org, spend_cap_usd: limitUsd })],
    spentUsd: async (admin, org) => (await admin('GET', `/keys?org=${org}`)).data[0].spent_usd,
    heldUsd: async (admin, org) => (await admin('GET', `/keys?org=${org}`)).data[0].held_usd,
  },
  team: {
    async make(admin, org) {
      await admin('POST', '/teams', { org, id: 'research', name: 'Research', spend_cap_usd: limitUsd, spend_period: 'month' })
      return await fourKeysIn(admin, { org, team: 'research' })
    },
    spentUsd: async (admin, org) => (await admin('GET', `/teams/research?org=${org}`)).spent_usd,
    heldUsd: async (admin, org) => (await admin('GET', `/teams/research?org=${org}`)).held_usd,
  },
  organization: {
    async make(admin, org) {
      await admin('PATCH', `/orgs/${org}`, { spend_cap_usd: limitUsd })
      return await fourKeysIn(admin, { org })
    },
    spentUsd: async (admin, org) => (await admin('GET', `/orgs/${org}`)).spent_usd,
    heldUsd: async (admin, org) => (await admin('GET', `/orgs/${org}`)).held_usd,
  },
  credit: {
    async make(admin, org) {
      await admin('POST', `/orgs/${org}/credits`, { amount_usd: limitUsd, note: 'Invoice 7' })
      return await fourKeysIn(admin, { org })
    },
    spentUsd: async (admin, org) => limitUsd - (await admin('GET', `/orgs/${org}`)).credit_balance_usd,
    heldUsd: async (admin, org) => (await admin('GET', `/orgs/${org}`)).credit_held_usd,
  },
}

async function keyIn(admin: Admin, settings: object): Promise<string> {
  return (await admin('POST', '/keys', { name: 'load', ...settings })).key
}

async function fourKeysIn(admin: Admin, settings: object): Promise<readonly string[]> {
  return await Promise.all([1, 2, 3, 4].map(() => keyIn(admin, settings)))
}

/** Sends all requests at once, half of them to each gateway. Opens the gate when both have refused some, after a look. */
async function askAll(
  urls: readonly string[],
  keys: readonly string[],
  count: number,
  gate: Gate,
  look: () => Promise<void> = async () => {},
): Promise<readonly number[]> {
  let looking: Promise<void> | undefined
  const refused = urls.map(() => 0)
  return await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const gateway = index % urls.length
      const status = await ask(urls[gateway]!, keys[(index >> 1) % keys.length]!, index)
      if (status === 402) refused[gateway]!++
      if (refused.every(each => each >= refusedFirst)) looking ??= look().finally(() => gate.open())
      return status
    }),
  )
}

/** The body of an answer must be complete. */
async function ask(url: string, key: string, index: number): Promise<number> {
  const stream = index % 3 !== 0
  const reply = await fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'acme/acme-large', input: `Question ${index}`, max_output_tokens: 100, stream }),
  })
  const text = await reply.text()
  const end = stream ? /^event: response\.(completed|incomplete)$/m : /"status":"(completed|incomplete)"/
  if (reply.status === 200 && !end.test(text)) throw new Error(`an answer is not complete: ${text}`)
  return reply.status
}

async function checkNothingHeld(t: Test, database: Kysely<Tables>): Promise<void> {
  t.same(await database.selectFrom('credit_hold').select('id').execute(), [], 'no hold is left')
  t.same(await database.selectFrom('spend').select('name').where('reserved', '!=', 0).execute(), [], 'nothing is reserved under a cap')
  t.same(await database.selectFrom('credit').select('org').where('reserved', '!=', 0).execute(), [], 'nor of a credit')
}

/** One request in ten fails. Of the others, half take as many tokens as they may, and half take half. */
function answer({ body }: ReceivedRequest, gate: Gate): FakeReply {
  const {
    stream,
    messages,
    max_completion_tokens: most,
  } = body as {
    readonly stream?: boolean
    readonly messages: readonly { readonly content: string }[]
    readonly max_completion_tokens: number
  }
  const index = Number(/\d+/.exec(messages[0]!.content)![0])
  const before = [gate]
  if (index % 10 === 7) return { before, status: 400, body: JSON.stringify({ error: { message: 'This question is not allowed.' } }) }
  const completion_tokens = index % 4 < 2 ? most : Math.ceil(most / 2)
  const usage = { prompt_tokens: 10, completion_tokens, total_tokens: 10 + completion_tokens }
  const of = (object: string, choice: object, more: object = {}): object => ({
    id: 'chatcmpl-demo',
    object,
    created: 1,
    model: 'acme-large',
    choices: [{ index: 0, ...choice }],
    ...more,
  })
  if (!stream) {
    const message = { role: 'assistant', content: 'Because.' }
    return { before, body: JSON.stringify(of('chat.completion', { message, finish_reason: 'stop' }, { usage })) }
  }
  const chunk = 'chat.completion.chunk'
  return {
    before,
    headers: { 'content-type': 'text/event-stream' },
    body: [
      sseFrame(of(chunk, { delta: { role: 'assistant', content: 'Because' }, finish_reason: null })),
      sseFrame(of(chunk, { delta: { content: '.' }, finish_reason: 'stop' })),
      sseFrame(of(chunk, { delta: {}, finish_reason: null }, { choices: [], usage })),
      sseFrame('[DONE]'),
    ],
  }
}
