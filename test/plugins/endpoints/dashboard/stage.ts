import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { config, Workplace } from '../../../kit/turnpike-process.ts'

export const adminToken = 'demo-admin-token-of-the-dashboard-tests'

/** A gateway in a separate process, as `npm start` serves it, with three sandboxes as providers. */
export interface Stage {
  /** The public API. */
  readonly url: string
  /** The admin API and the dashboard. */
  readonly adminUrl: string
  /** Its database. */
  readonly database: string
  readonly pid: number
  /** The admin API, as the owner. Throws for anything but a success. */
  call(method: string, path: string, body?: unknown): Promise<any>
  /** Asks the public API with a key, and returns the answer. */
  ask(key: string, path: string, body: object): Promise<Response>
  /** Resolves when it prints this, or at once if it already has. */
  says(pattern: RegExp): Promise<RegExpExecArray>
  stop(): Promise<void>
}

const plugins = `
  sandbox({ id: 'north' }),
  sandbox({ id: 'south' }),
  alertWebhook({ allowPrivateAddresses: true }),
  fileCatalog({ path: './models.json' }),`

const catalog = [
  {
    model: 'echo',
    endpoints: [
      { provider: 'north', zdr: { policy_url: 'https://north.example.com/zdr' }, hipaa: { baa_url: 'https://north.example.com/baa' } },
      { provider: 'south', price: { input: 0.4, output: 1.6, cacheRead: 0.1 } },
    ],
  },
]

export async function openStage(environment: Readonly<Record<string, string>> = {}): Promise<Stage> {
  const modules = { sandbox: 'providers/sandbox', fileCatalog: 'catalogs/file', alertWebhook: 'alerts/webhook' }
  const imports = Object.entries(modules).map(([name, path]) => `import ${name} from 'turnpike/plugins/${path}'\n`)
  const workplace = new Workplace(
    `${imports.join('')}${config('admin: { port: 0 }, alerts: { thresholds: [] },', plugins, ['alert-webhook'])}`,
  )
  writeFileSync(join(workplace.path, 'models.json'), JSON.stringify(catalog))
  const gateway = workplace.spawn(['start'], [], { GATEWAY_ADMIN_TOKEN: adminToken, ...environment })
  const [, adminUrl] = await gateway.says(/admin API is on (http:\S+)/)
  const url = await gateway.url()
  return {
    url,
    adminUrl: adminUrl!,
    database: join(workplace.path, 'data', 'turnpike.db'),
    pid: gateway.pid,
    async call(method, path, body) {
      const reply = await fetch(`${adminUrl}/admin/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${adminToken}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const answer = (await reply.json()) as any
      if (!reply.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
      return answer
    },
    ask: (key, path, body) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    says: pattern => gateway.says(pattern),
    async stop() {
      gateway.signal('SIGTERM')
      await gateway.finished
      workplace.remove()
    },
  }
}

/** Signs in without the form. */
export async function signIn(page: Page, { adminUrl }: Stage, token: string = adminToken): Promise<void> {
  const reply = await page.context().request.post(`${adminUrl}/session`, { data: { token } })
  if (!reply.ok()) throw new Error(`signing in: ${reply.status()} ${await reply.text()}`)
}
