import { addDemoRecords, type DemoKey } from './demo-records.ts'
import type { Stage } from './stage.ts'

export interface Demo {
  /** Of a key with logging on. */
  readonly key: string
  readonly keyId: string
  /** Of a response that took two attempts, in the store with its content. */
  readonly responseId: string
}

/** Two organizations with keys, a day of requests, and some that were just made. */
export async function playDemo(stage: Stage, records = 12_000): Promise<Demo> {
  const { call } = stage
  const keys: DemoKey[] = []
  for (const [org, name] of [
    ['acme', 'Acme'],
    ['globex', 'Globex'],
  ])
    await call('POST', '/orgs', { id: org, name, spend_cap_usd: 500, spend_period: 'month' })
  for (const [org, team] of [
    ['acme', 'research'],
    ['acme', 'support'],
    ['globex', 'apps'],
  ] as const)
    await call('POST', '/teams', { id: team, name: team[0]!.toUpperCase() + team.slice(1), org })
  let first: { readonly id: string; readonly key: string } | undefined
  for (const [name, org, team] of [
    ['Website chat', 'acme', 'support'],
    ['Nightly reports', 'acme', 'research'],
    ['Mobile app', 'globex', 'apps'],
    ['Evaluation', 'acme', 'research'],
  ] as const) {
    const made = await call('POST', '/keys', {
      name,
      org,
      team,
      policy: { logging: { value: true } },
      spend_cap_usd: 50,
      spend_period: 'month',
    })
    first ??= made
    keys.push({ id: made.id, org, team })
  }
  const { id, key } = first!
  await addDemoRecords(stage.database, keys, records)
  for (let index = 0; index < 24; index++)
    await (
      await stage.ask(key, '/v1/responses', {
        model: ['north/echo', 'south/echo', 'sandbox/reasoning'][index % 3],
        input: `Hello ${index}`,
        stream: true,
      })
    ).text()
  await stage.ask(key, '/v1/responses', { model: 'nobody/at-all', input: 'Hello' })
  const careful = await call('POST', '/keys', {
    name: 'Careful',
    org: 'acme',
    team: 'research',
    providers: ['north', 'sandbox'],
    policy: { logging: { value: true }, redaction: { value: true } },
  })
  const failing = {
    model: 'sandbox/fail',
    input: '{"status":529,"provider":"sandbox"} Write to ada@example.com, please.',
    routing: { model: { fallbacks: ['echo'] }, provider: { sort: 'p95_latency' } },
  }
  const answered = (await (await stage.ask(careful.key, '/v1/responses', failing)).json()) as { readonly id: string }
  return { key, keyId: id, responseId: answered.id }
}
