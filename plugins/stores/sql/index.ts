import { Clock, definePlugin, LogSinks, PluginError, type Registrar } from '../../../core/index.ts'
import { describeError, milliseconds } from '../../../core/kit.ts'
import {
  AccountStore,
  AdminTokenStore,
  AlertOutbox,
  AlertStore,
  AlertTargetStore,
  AuditTrail,
  ConversationStore,
  BackgroundStore,
  KeyStore,
  Ledger,
  LiveMetrics,
  MetricStore,
  RateLimiter,
  SavedWindows,
  RecordStore,
  ResponseStore,
  Sealer,
  SignOuts,
  storeServiceNames,
  storeServices,
  type MigrationContext,
} from '../../../core/stores.ts'
import { SqlAccounts } from './accounts.ts'
import { SqlAdminTokens } from './admin-tokens.ts'
import { SqlAlertOutbox } from './alerts/outbox.ts'
import { SqlAlerts } from './alerts/store.ts'
import { SqlAlertTargets } from './alerts/targets.ts'
import { SqlAuditTrail } from './audit-trail.ts'
import { SqlConversations } from './conversations.ts'
import { SqlBackground } from './background.ts'
import { DataKeys } from './data-keys.ts'
import { DatabaseClock } from './database-clock.ts'
import { openDatabase, openReaders, upgradeDatabase, type Place } from './database.ts'
import { Expiry } from './expiry.ts'
import { SqlKeys } from './keys.ts'
import { SqlLedger } from './ledger/ledger.ts'
import { LedgerProcess } from './ledger/process.ts'
import { SqlLimits } from './limits.ts'
import { SqlSavedWindows } from './saved-windows.ts'
import { WindowRows } from './window-rows.ts'
import { RecordSink } from './records/sink.ts'
import { SqlRecords } from './records/store.ts'
import { SqlResponses } from './responses.ts'
import { SavedMetrics } from './saved-metrics.ts'
import { SealedParts } from './sealed-parts.ts'
import { SqlSignOuts } from './sign-outs.ts'
import { OpenFile } from './sqlite/open-file.ts'
import { StopTime } from './stop-time.ts'

const days = { type: 'integer', minimum: 1 } as const
const retention = {
  keepResponsesDays: {
    ...days,
    description:
      'How many days to keep a response, or a conversation and its items, from its creation. A chain of responses cannot continue once its first one is deleted. Default: forever.',
  },
  keepRecordsDays: { ...days, description: 'How many days to keep the record of a request, without its content. Default: forever.' },
  keepContentDays: { ...days, description: 'How many days to keep the content of records. Default: as long as the record.' },
} as const

/**
 * Stores everything that should survive a restart in SQLite, which several processes on one machine can share, or in Postgres. Content is
 * encrypted.
 */
export default definePlugin({
  name: 'sql',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      file: {
        type: 'string',
        minLength: 1,
        default: './data/turnpike.db',
        description: 'The SQLite file. It is created on the first start. Not used with url.',
      },
      url: {
        type: 'string',
        pattern: '^postgres(ql)?://',
        writeOnly: true,
        description:
          'The URL of a Postgres database, such as postgres://user:password@db.example.com/turnpike, instead of a file. Needs the package pg, and a master key that all gateways share. With defaults(): DATABASE_URL.',
      },
      maxConnections: {
        type: 'integer',
        minimum: 1,
        default: 10,
        description: 'The largest number of connections to Postgres. Two more only look up keys, accounts and limits.',
      },
      services: {
        type: 'array',
        items: { enum: storeServiceNames },
        uniqueItems: true,
        description: 'The services to keep in the database. Default: everything that no other plugin is set to keep.',
      },
      cacheTtlMs: {
        ...milliseconds,
        minimum: 0,
        default: 1000,
        description:
          'How long to cache a key or an account, in milliseconds. A change by another process takes effect within this time. 0 turns the cache off.',
      },
      staleKeysMs: {
        ...milliseconds,
        minimum: 0,
        default: 60_000,
        description:
          'How long cached keys and accounts keep working while the database is down, in milliseconds. After that, requests get a 503.',
      },
      dataKeyDays: {
        type: 'integer',
        minimum: 1,
        default: 90,
        description:
          'After this many days, new responses of an organization are encrypted with a new data key. Older responses stay readable.',
      },
      ...retention,
      organizations: {
        type: 'object',
        additionalProperties: { type: 'object', additionalProperties: false, properties: retention },
        default: {},
        description: 'Different times for some organizations, by id, such as { acme: { keepContentDays: 7 } }.',
      },
    },
  },
  needs: { clock: Clock, sealer: Sealer },
  contracts: { AlertOutbox: 1, AlertStore: 1, AlertTargetStore: 1, SavedWindows: 1, BackgroundStore: 2, SignOuts: 1 },
  provides: ({ services = [] }) => [
    ...services.map(service => storeServices[service]),
    ...(services.includes('limits') ? [SavedWindows] : []),
  ],
  offers: ({ services }) => (services ? [] : [...Object.values(storeServices), SavedWindows]),
  migrate: async (gateway, options) => await upgradeDatabase(placeOf(gateway, options), gateway.log),
  async setup(gateway, options, { clock: machine, sealer }) {
    const { log } = gateway
    if (options.url !== undefined) requireSharedKey(sealer)
    const place = placeOf(gateway, options)
    const database = await openDatabase(place, gateway, sealer, log)
    const time = new StopTime(log)
    gateway.onStop(() => time.within('close', () => database.destroy()))
    if ('file' in place && gateway.createFiles) watch(gateway, place.file)
    const readers = await openReaders(place, database, gateway, log)
    const { lookups } = readers
    gateway.onStop(() => time.within('close what reads', () => readers.close()))
    const clock = new DatabaseClock(lookups, machine, log)
    gateway.onStart(() => clock.start())
    gateway.onStop(() => clock.stop())
    const dataKeys = new DataKeys(database, sealer, clock, log, options.dataKeyDays, readers.general)
    const parts = new SealedParts(dataKeys)
    if (gateway.createFiles) resealInBackground(gateway, dataKeys, time)
    if (gateway.provides(KeyStore)) gateway.provide(KeyStore, new SqlKeys(database, clock, log, options, readers))
    if (gateway.provides(AccountStore)) gateway.provide(AccountStore, new SqlAccounts(database, clock, options, readers))
    if (gateway.provides(ResponseStore)) {
      const writers = 'url' in place ? Math.ceil(place.maxConnections / 2) : 2
      const responses = new SqlResponses(database, parts, log, { reader: readers.general, writers })
      gateway.provide(ResponseStore, responses)
      gateway.onStop(() => responses.stop())
    }
    if (gateway.provides(ConversationStore)) gateway.provide(ConversationStore, new SqlConversations(database, parts, log, readers.general))
    if (gateway.provides(BackgroundStore)) gateway.provide(BackgroundStore, new SqlBackground(database, parts, log, readers.general))
    if (gateway.provides(AuditTrail)) gateway.provide(AuditTrail, new SqlAuditTrail(database, readers.general))
    if (gateway.provides(AdminTokenStore)) gateway.provide(AdminTokenStore, new SqlAdminTokens(database, lookups))
    if (gateway.provides(SignOuts)) gateway.provide(SignOuts, new SqlSignOuts(database, lookups))
    if (gateway.provides(AlertTargetStore)) gateway.provide(AlertTargetStore, new SqlAlertTargets(database, parts, log, readers.general))
    if (gateway.provides(AlertOutbox)) gateway.provide(AlertOutbox, new SqlAlertOutbox(database, readers.general))
    if (gateway.provides(AlertStore)) gateway.provide(AlertStore, new SqlAlerts(database, clock, readers.general))
    if (gateway.provides(MetricStore)) {
      const metrics = new LiveMetrics(clock)
      gateway.provide(MetricStore, metrics)
      const saved = new SavedMetrics(database, metrics, clock, log)
      if (!gateway.lookOnly) gateway.onStart(() => saved.start())
      gateway.onStop(() => saved.stop())
    }
    if (gateway.provides(RateLimiter)) {
      const limits = new SqlLimits(database, machine, log, lookups, clock)
      gateway.provide(RateLimiter, limits)
      gateway.onStop(() => time.within('save rate limit windows', () => limits.stop()))
      if (options.url !== undefined) gateway.onStart(() => log.info(countsApart))
    }
    if (gateway.provides(SavedWindows))
      gateway.provide(SavedWindows, new SqlSavedWindows(new WindowRows(database, lookups, machine, clock), machine, 'url' in place))
    if (gateway.provides(Ledger)) {
      const process = new LedgerProcess(database, clock, log, { machine })
      const ledger = new SqlLedger(database, clock, log, process, readers.general)
      gateway.provide(Ledger, ledger)
      gateway.onStart(() => process.start())
      gateway.onStop(() => process.stop())
      gateway.onStop(() => ledger.stop())
    }
    if (gateway.provides(RecordStore)) {
      const sink = new RecordSink(database, parts)
      gateway.add(LogSinks, sink)
      gateway.provide(RecordStore, new SqlRecords(database, clock, parts, log, readers.reports))
    }
    if (!gateway.createFiles) return
    const expiry = new Expiry(database, clock, log, options)
    gateway.onStart(() => expiry.start())
    gateway.onStop(() => time.within('delete expired data', () => expiry.stop()))
  },
})

const countsApart =
  'each gateway counts limits of windows below an hour, exact ones too, and requests at once for itself; gateways that load a plugin such as stores/valkey count them together'

function watch(gateway: Registrar, path: string): void {
  const file = new OpenFile(path, gateway.log)
  gateway.onStart(() => file.start())
  gateway.onStop(() => file.stop())
}

/** After a rotation of the master key. A stop waits for it, because there are few data keys. */
function resealInBackground(gateway: Registrar, dataKeys: DataKeys, time: StopTime): void {
  let resealing: Promise<void> | undefined
  gateway.onStart(() => {
    resealing = dataKeys.resealAll().then(
      count => void (count > 0 && gateway.log.info('resealed the data keys with the new master key', { dataKeys: count })),
      error => gateway.log.error('could not reseal the data keys with the new master key', describeError(error)),
    )
  })
  gateway.onStop(() => time.within('seal data keys', () => resealing))
}

function placeOf(
  gateway: MigrationContext,
  { file, url, maxConnections }: { readonly file: string; readonly url?: string; readonly maxConnections: number },
): Place {
  if (url === undefined) return { file: gateway.resolvePath(file) }
  const password = passwordIn(url)
  if (password === undefined)
    throw new PluginError('sql', 'needs a valid URL in url. Percent-encode special characters in user and password')
  if (password) gateway.secret(password)
  return { url, maxConnections }
}

/** The password in a URL, if the URL is valid. */
function passwordIn(url: string): string | undefined {
  try {
    return decodeURIComponent(new URL(url).password)
  } catch {
    return undefined
  }
}

/** Several gateways may use one Postgres database. With key files, each would have another key. */
function requireSharedKey({ isShared, keySource }: Sealer): void {
  if (!isShared)
    throw new PluginError(
      'sql',
      `keeps its data in Postgres, which several gateways can share, so the master key must not be in the ${keySource}. ` +
        'Set the option masterKey of local-sealer (GATEWAY_MASTER_KEY with defaults()). Create one with: openssl rand -base64 32',
    )
}
