import type { Sealer } from '../contracts/sealer.ts'
import type { SharedChange, SharedMap, SharedMapOptions, SharedMaps, SharedState } from '../contracts/shared-state.ts'
import type { Clock } from '../foundation/clock.ts'
import { isObject } from '../foundation/json.ts'
import { describePluginError, type Logger } from '../foundation/logger.ts'
import { RepeatedError } from '../foundation/repeated-error.ts'
import { isPending, type Maybe } from '../runtime/pending.ts'
import { LiveMap, type Link } from './live-map.ts'
import { Tellings } from './tellings.ts'

/** The service that connects gateways, and the plugin that provides it. */
interface ConnectedState {
  readonly state: SharedState
  readonly plugin: string
}

/** All that gateways share. Until `connect`, and without a plugin for `SharedState`, each map is this gateway's alone. */
export class LiveMaps implements SharedMaps {
  readonly #clock: Clock
  readonly #failed: RepeatedError
  readonly #maps = new Map<string, LiveMap<any>>()
  #connection: ConnectedState | undefined
  #link: Link | undefined

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock
    this.#failed = new RepeatedError(log, 'gateways could not exchange what they learned, so this one goes by what it knows')
  }

  map<V>(name: string, options: SharedMapOptions<V>): SharedMap<V>
  map<V extends {}>(name: string, options: SharedMapOptions<V>): SharedMap<V> {
    if (this.#maps.has(name)) throw new Error(`There are two shared maps with the name "${name}". Choose another name.`)
    const map = new LiveMap(name, options, this.#clock)
    this.#maps.set(name, map)
    if (this.#link) map.connect(this.#link)
    return map
  }

  /** Call before the first request. `gateways`: how many there are. */
  connect(state: SharedState, plugin: string, sealer: Sealer, gateways: () => number = () => 1): void {
    this.#connection = { state, plugin }
    const tellings = new Tellings(this.#clock, gateways)
    const link = (this.#link = {
      publish: (change: SharedChange) => this.#publish(change),
      mayTell: () => tellings.take(),
      hmac: (map: string, key: string) => sealer.mac('shared-state', `${map}\n${key}`).toString('base64url'),
    })
    for (const map of this.#maps.values()) map.connect(link)
    this.#try(() => state.subscribe(change => this.#receive(change)))
  }

  /** Call before the plugins stop. Later changes stay in this gateway. */
  disconnect(): void {
    this.#connection = undefined
  }

  #publish(change: SharedChange): void {
    const { state } = this.#connection ?? {}
    if (state) this.#try(() => state.publish(change))
  }

  /** Plugins may pass on anything, and other gateways may be of another version. */
  #receive(change: unknown): void {
    if (!this.#connection || !isObject(change)) return
    const { map, key, value, forMs } = change
    if (typeof map !== 'string' || typeof key !== 'string' || typeof forMs !== 'number' || Number.isNaN(forMs)) return
    this.#maps.get(map)?.receive({ map, key, value, forMs })
  }

  #try(run: () => Maybe<void>): void {
    const { plugin } = this.#connection!
    const failed = (cause: unknown): void => this.#failed.report({ plugin, ...describePluginError(cause, true) })
    try {
      const running = run()
      if (isPending(running)) Promise.resolve(running).catch(failed)
    } catch (cause) {
      failed(cause)
    }
  }
}
