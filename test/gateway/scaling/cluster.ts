import type { Kysely } from 'kysely'
import type { Test } from 'tap'
import { openPostgres } from '../../../plugins/stores/sql/postgres/open.ts'
import type { Tables } from '../../../plugins/stores/sql/tables.ts'
import { Workplace } from '../../kit/turnpike-process.ts'
import { silent } from '../../plugins/stores/databases.ts'
import { masterKey } from '../../plugins/stores/sql.ts'
import { Admin } from './admin.ts'
import { Caller } from './caller.ts'
import { until } from './until.ts'
import { Replica, type ReplicaSettings } from './replica.ts'
import { Vendor } from './vendor.ts'

const adminToken = 'demo-admin-token-of-at-least-32-characters'
export const vendorKey = 'sk-demo-upstream-of-the-cluster'
/** Requests that all replicas may have at the provider `narrow` at once. */
export const narrowLimit = 4
/** WebSocket connections that a key may have. */
export const connectionLimit = 6

export interface ClusterSettings {
  readonly databaseUrl: string
  /** Undefined: replicas count for themselves. */
  readonly valkeyUrl?: string
  /** One for each replica. */
  readonly replicas?: readonly ReplicaSettings[]
  /** Default: a new one. */
  readonly vendor?: Vendor
}

/** Several gateways on one Postgres and one Valkey, and the vendor behind them. */
export class Cluster {
  readonly vendor: Vendor
  readonly database: Kysely<Tables>
  readonly replicas: Replica[]
  readonly callers: Caller[] = []
  readonly #start: (settings: ReplicaSettings) => Promise<Replica>

  private constructor(
    vendor: Vendor,
    database: Kysely<Tables>,
    replicas: Replica[],
    start: (settings: ReplicaSettings) => Promise<Replica>,
  ) {
    this.vendor = vendor
    this.database = database
    this.replicas = replicas
    this.#start = start
  }

  static async start(t: Test, { databaseUrl, valkeyUrl, replicas: settings = [{}, {}, {}], ...given }: ClusterSettings): Promise<Cluster> {
    const vendor = given.vendor ?? (await Vendor.start())
    t.teardown(() => vendor.close())
    const workplace = new Workplace(configOf(vendor.url))
    t.teardown(() => workplace.remove())
    const shared = {
      DATABASE_URL: databaseUrl,
      ...(valkeyUrl !== undefined && { VALKEY_URL: valkeyUrl }),
      GATEWAY_MASTER_KEY: masterKey,
      GATEWAY_ADMIN_TOKEN: adminToken,
    }
    const start = ({ environment, ...rest }: ReplicaSettings): Promise<Replica> =>
      Replica.start(workplace, { ...rest, environment: { ...shared, ...environment } })
    const replicas = await Promise.all(settings.map(start))
    const { database } = await openPostgres({ url: databaseUrl, maxConnections: 3 }, silent)
    const cluster = new Cluster(vendor, database, replicas, start)
    t.teardown(async () => {
      await Promise.all(cluster.replicas.map(replica => replica.kill()))
      await database.destroy()
    })
    return cluster
  }

  get admin(): Admin {
    return new Admin(this.replicas[0]!.adminUrl, adminToken)
  }

  /** A new organization with a spend cap far above what tests spend, so that spending is counted. */
  async org(id: string, settings: object = {}): Promise<string> {
    await this.admin.ask('POST', '/orgs', { id, name: id })
    await this.admin.ask('PATCH', `/orgs/${id}`, { spend_cap_usd: 1000, ...settings })
    return id
  }

  /** A new key. Without `settings.org` it is one of the organization `label`, which is created, too. */
  async caller(label: string, settings: { readonly org?: string; readonly [name: string]: unknown } = {}): Promise<Caller> {
    const org = settings.org ?? (await this.org(label))
    const caller = new Caller(org, label, await this.admin.key({ ...settings, org }))
    this.callers.push(caller)
    return caller
  }

  /** How often a replica began to count for itself. On a busy machine, an answer of Valkey may well take more than 50 ms. */
  get partings(): number {
    const lines = this.replicas.map(({ process }) => process.stderr.match(/processes cannot count together now/g) ?? [])
    return lines.flat().length
  }

  /** Resolves when all replicas count together. */
  async together(): Promise<void> {
    await this.#untilEach(this.replicas, 200, 'all replicas to count together')
  }

  /** Resolves when each of these replicas counts for itself. */
  async apart(replicas: readonly Replica[]): Promise<void> {
    await this.#untilEach(replicas, 503, 'replicas to count for themselves')
  }

  async #untilEach(replicas: readonly Replica[], status: 200 | 503, what: string): Promise<void> {
    const probe = await this.#probe()
    const areAllSo = async (): Promise<boolean> => {
      const replies = await probe.all(replicas, replicas.length)
      const other = replies.all.find(reply => reply.status !== 200 && reply.status !== 503)
      if (other) throw new Error(`expected a 200 or a 503, but a replica answered ${other.status}: ${other.text}`)
      return replies.of(status) === replicas.length
    }
    await until(what, areAllSo, 200)
  }

  /** A key whose limit is far away, and must never be exceeded. */
  async #probe(): Promise<Caller> {
    return (
      this.callers.find(({ label }) => label === 'probe') ??
      (await this.caller('probe', { limits: [{ requests: 1_000_000, window_s: 3_600, exact: true }] }))
    )
  }

  /** Starts a process in place of a replica that has ended. Default: with the same settings. */
  async replace(index: number, settings?: ReplicaSettings): Promise<void> {
    this.replicas[index] = await (settings ? this.#start(settings) : this.replicas[index]!.again())
  }
}

function configOf(upstream: string): string {
  return `
    import { defineConfig, defaults } from 'turnpike/config'
    import fileCatalog from 'turnpike/plugins/catalogs/file'
    import responsesWebSocket from 'turnpike/plugins/endpoints/responses-websocket'
    import openaiChat from 'turnpike/plugins/providers/openai-chat'
    const vendor = { baseUrl: process.env.TEST_VENDOR ?? '${upstream}', apiKey: '${vendorKey}' }
    export default defineConfig({
      server: { host: process.env.TEST_HOST ?? '127.0.0.1', port: 0, logLevel: 'warn', ...(process.env.TEST_HOST && { admin: { host: process.env.TEST_HOST, port: 0 } }) },
      plugins: [
        ...defaults({ without: ['ollama', 'responses-websocket'] }),
        responsesWebSocket({ connectionsPerKey: ${connectionLimit} }),
        openaiChat({ id: 'acme', ...vendor }),
        openaiChat({ id: 'narrow', ...vendor, maxConcurrent: ${narrowLimit} }),
        fileCatalog({ models: [{ model: 'acme-large', endpoints: ['acme', 'narrow'].map(provider => ({ provider, price: { input: 1, output: 2 } })) }] }),
      ],
    })`
}
