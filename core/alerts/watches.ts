import { randomUUID } from 'node:crypto'
import pTimeout from 'p-timeout'
import type { ServedCertificate } from '../contracts/alert-rules.ts'
import { describePluginError } from '../foundation/logger.ts'
import type { AlertParts } from './alerts.ts'
import { Announcer } from './announcer.ts'
import { checkCertificate } from './certificate-check.ts'
import { Courier } from './courier.ts'
import { Duties } from './duty.ts'
import { FullCredits } from './full-credits.ts'
import { KeyCheck } from './key-check.ts'
import { Look } from './look.ts'
import { noRecords } from '../records/no-records.ts'
import { ProviderWatch } from './provider-watch.ts'
import { RecordsWatch } from './records-watch.ts'
import { SpendingWatch } from './spending-watch.ts'
import { ThresholdWatch } from './threshold-watch.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** How often each is looked at. */
const everyMs = { providers: 1_000, spending: 2_000, allSpending: 24 * hourMs, records: 10_000, duties: 15_000, certificate: 6 * hourMs }
const dutiesEveryMs = { thresholds: minuteMs, spending: 5 * minuteMs, keys: 6 * hourMs, expiry: hourMs }
/** Right after a start there is more to do. */
const firstCertificateMs = 10_000
const firstAllSpendingMs = 20_000
/** The store may be down. */
const stopMs = 3_000

/** Everything that is watched while a plugin delivers alerts. Nothing of it is on the path of a request, except a mark for what it spent. */
export class Watches {
  readonly #parts: AlertParts
  readonly #certificate: ServedCertificate | undefined
  readonly #courier: Courier
  readonly #credits: FullCredits
  readonly #announcer: Announcer
  #looks: readonly Look[] = []
  #lastLook: () => Promise<void> = async () => {}

  constructor(parts: AlertParts, certificate: ServedCertificate | undefined) {
    const { channels, ids, ledger, log, store } = parts
    this.#parts = parts
    this.#certificate = certificate
    this.#courier = new Courier(store, channels, log)
    this.#announcer = new Announcer(store, channels.names(), ids, () => this.#courier.wake())
    this.#credits = new FullCredits(store, ledger)
  }

  start(): void {
    const { accounts, catalog, circuits, clock, keys, ledger, log, queue, records, reservations, settings, store } = this.#parts
    const { spentPercent: percent, thresholds, keyUnusedDays: unusedDays } = settings.alerts
    const [announcer, credits, certificate] = [this.#announcer, this.#credits, this.#certificate]
    const spending = new SpendingWatch({ announcer, ledger, keys, records, accounts, credits, percent, now: () => clock.now() })
    const providers = new ProviderWatch({ announcer, circuits, process: randomUUID(), clock })
    const losses = new RecordsWatch(announcer, () => queue.states())
    const measured = new ThresholdWatch({ announcer, records, catalog, thresholds })
    // Without records, every key would look unused.
    const keyCheck = new KeyCheck({ announcer, keys, records, unusedDays: records === noRecords ? undefined : unusedDays })
    const duties = new Duties(store, [
      ...(thresholds.length > 0 ? [{ name: 'thresholds', everyMs: dutiesEveryMs.thresholds, run: () => measured.check() }] : []),
      // Only records say which keys were used.
      ...(records === noRecords ? [] : [{ name: 'spending', everyMs: dutiesEveryMs.spending, run: () => spending.catchUp() }]),
      { name: 'keys', everyMs: dutiesEveryMs.keys, run: () => keyCheck.check() },
      { name: 'expiry', everyMs: dutiesEveryMs.expiry, run: async () => await store.expire() },
    ])
    reservations.watch((caller, short) => spending.touch(caller, short))
    this.#lastLook = () => spending.check()
    this.#looks = [
      new Look('spending', everyMs.spending, () => spending.check(), log),
      new Look('spending of all keys', everyMs.allSpending, () => spending.checkAll(), log, firstAllSpendingMs),
      new Look('providers', everyMs.providers, () => providers.check(), log),
      new Look('lost records', everyMs.records, () => losses.check(), log),
      new Look('thresholds and keys', everyMs.duties, () => duties.check(), log),
      ...(certificate
        ? [new Look('the certificate', everyMs.certificate, () => checkCertificate(announcer, certificate), log, firstCertificateMs)]
        : []),
    ]
    this.#courier.start()
  }

  async creditAdded(org: string, balanceUsd: number): Promise<void> {
    await this.#credits.added(org, balanceUsd)
  }

  async stop(): Promise<void> {
    await pTimeout(this.#end(), { milliseconds: stopMs, fallback: () => undefined })
  }

  async #end(): Promise<void> {
    await Promise.all(this.#looks.map(look => look.stop()))
    // Else nobody would know what the last requests spent, until there is another.
    await this.#lastLook().catch(error => this.#parts.log.error('could not look for alerts at the end', describePluginError(error, false)))
    await this.#courier.stop()
  }
}
