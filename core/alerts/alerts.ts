import { Accounts } from '../admission/accounts.ts'
import { EndpointCircuits } from '../call/attempts/endpoint-circuits.ts'
import { AlertStore } from '../contracts/alert.ts'
import type { ServedCertificate } from '../contracts/alert-rules.ts'
import { Catalog } from '../contracts/catalog.ts'
import { KeyStore } from '../contracts/key-store.ts'
import { Ledger } from '../contracts/ledger.ts'
import { RecordStore } from '../contracts/record-store.ts'
import { Clock } from '../foundation/clock.ts'
import { AssemblyError } from '../foundation/errors.ts'
import { Ids } from '../foundation/ids.ts'
import { Logger } from '../foundation/logger.ts'
import { wire, type Dependencies } from '../framework/container.ts'
import { AlertChannels, DecisionClients, Providers } from '../framework/extension-points.ts'
import { Settings } from '../framework/settings.ts'
import { Reservations } from '../limits/reservations.ts'
import { RecordQueue } from '../records/queue.ts'
import { noAlerts } from './no-alerts.ts'
import { onlyProblem, unknownOnly } from './only.ts'
import type { Watches } from './watches.ts'

const dependencies = {
  accounts: Accounts,
  catalog: Catalog,
  channels: AlertChannels,
  circuits: EndpointCircuits,
  clock: Clock,
  decisions: DecisionClients,
  ids: Ids,
  keys: KeyStore,
  ledger: Ledger,
  log: Logger,
  providers: Providers,
  queue: RecordQueue,
  records: RecordStore,
  reservations: Reservations,
  settings: Settings,
  store: AlertStore,
}
export type AlertParts = Dependencies<typeof dependencies>

/** Tells operators what they should know. Does nothing, and loads nothing, unless a plugin adds a channel. */
export class Alerts {
  readonly #parts: AlertParts
  #watches: Watches | undefined

  static {
    wire(this, dependencies)
  }

  constructor(parts: AlertParts) {
    this.#parts = parts
  }

  /** Throws if a plugin delivers alerts and none stores them, or if a rule cannot work. */
  check(): void {
    const [first] = this.#parts.channels.entries()
    for (const [index, threshold] of this.#parts.settings.alerts.thresholds.entries()) {
      const { errorShare, p95Ms, windowMinutes } = threshold
      const problem = onlyProblem(threshold)
      if (problem !== undefined) throw new AssemblyError(`server.alerts.thresholds[${index}] ${problem}.`)
      if (errorShare === undefined && p95Ms === undefined)
        throw new AssemblyError(`server.alerts.thresholds[${index}] has neither errorShare nor p95Ms. Set one of them, or both.`)
      if (p95Ms !== undefined && p95Ms > (windowMinutes * 60_000) / 2)
        throw new AssemblyError(
          `server.alerts.thresholds[${index}] looks for ${p95Ms} ms within ${windowMinutes} min, which it would see too late. Set windowMinutes to at least ${Math.ceil(p95Ms / 30_000)}.`,
        )
    }
    if (first && this.#parts.store === noAlerts)
      throw new AssemblyError(
        `The plugin ${first.plugin} delivers alerts, but no plugin stores them. Add a plugin that provides alert-store: ...defaults() has one, or memory({}).`,
      )
  }

  /** `certificate`: the one that the gateway serves, if any. */
  async start(certificate: () => ServedCertificate | undefined): Promise<void> {
    if (this.#parts.channels.entries().length === 0) return
    this.#warnOfNames()
    const { Watches } = await import('./watches.ts')
    this.#watches = new Watches(this.#parts, certificate())
    this.#watches.start()
  }

  /** A name that nothing has would keep an alert from ever coming. */
  #warnOfNames(): void {
    const { catalog, decisions, log, providers, settings } = this.#parts
    const ids = [...providers.names(), ...decisions.names()]
    for (const [index, threshold] of settings.alerts.thresholds.entries()) {
      const names = unknownOnly(threshold, catalog, ids)
      if (names.length === 0) continue
      const what =
        threshold.of === 'providers' ? 'no plugin adds these providers' : 'no catalog lists these models at a provider that is loaded'
      log.warn(`a threshold tells nothing of some names, because ${what}`, { option: `server.alerts.thresholds[${index}].only`, names })
    }
  }

  /** Call when an organization got credit, with its balance after that. */
  async creditAdded(org: string, balanceUsd: number): Promise<void> {
    await this.#watches?.creditAdded(org, balanceUsd)
  }

  async stop(): Promise<void> {
    await this.#watches?.stop()
  }
}
