import type { ServerResponse } from 'node:http'
import type { Gateway } from '../core/gateway.ts'
import { drain } from './drain.ts'
import { problemsOf } from './errors.ts'
import { adminAddress, listenAdmin, type AdminListener } from './listen-admin.ts'
import { listen, listenNext, type Listener } from './listen.ts'
import { finish } from './finish.ts'
import { loadConfig, type LoadedConfig } from './load.ts'
import { outliveReaders } from './outlive-readers.ts'
import { refuseReload, Reloads } from './reloads.ts'
import { logFailedStop, Stop, watchGateway, type Serving } from './serving.ts'
import { usualWays, type ServingWays } from './serving-ways.ts'
import { onSignals } from './signals.ts'
import { welcome } from './welcome.ts'
import { checkConfig, compare } from './workers/config-check.ts'
import type { Fixed } from './workers/messages.ts'
import { launchOf, type ServerOverride } from './workers/start-options.ts'
import type { Launch } from './workers/worker-process.ts'
import { checkFacts } from './workers/worker-facts.ts'

/** A process that serves a gateway, and replaces it with one of a new config when it is told to. */
export class SingleProcess {
  readonly #path: string | undefined
  readonly #override: ServerOverride
  readonly #launch: Launch
  readonly #ways: ServingWays
  /** Gateways whose last requests finish. */
  readonly #leaving = new Map<Gateway, Promise<void>>()
  readonly #reloads = new Reloads(why => this.#reload(why))
  #serving!: Serving
  #fixed!: Fixed
  #stop: Stop | undefined

  /** `environment`: for the process that checks a new config. */
  constructor(path: string | undefined, override: ServerOverride, environment: NodeJS.ProcessEnv, ways = usualWays) {
    this.#path = path
    this.#override = override
    this.#launch = launchOf(path, override, environment)
    this.#ways = ways
  }

  async start(config: LoadedConfig): Promise<void> {
    const { server } = config
    const gateway = await this.#ways.open(config)
    let admin: AdminListener | undefined
    let listener: Listener | undefined
    try {
      this.#fixed = checkFacts(config, gateway)
      const address = gateway.admin && adminAddress(server)
      // The public address comes first: if both are taken, the error names that one.
      listener = await listen(gateway, server)
      admin = address && (await listenAdmin(gateway.admin, address, server))
    } catch (error) {
      if (listener) await drain(gateway, listener, 0)
      else await gateway.stop()
      throw error
    }
    outliveReaders()
    this.#serving = { gateway, listener, admin, server }
    onSignals({
      stop: (signal, announces) => this.#end(signal, 0, announces),
      reload: signal => void this.reload(signal),
    })
    this.#watch(gateway)
    await welcome(gateway, listener, admin)
  }

  /** `why`: for the log. */
  async reload(why: string): Promise<void> {
    await this.#reloads.run(why)
  }

  #watch(gateway: Gateway): void {
    watchGateway(gateway, why => {
      if (!this.#stop && this.#ways.outlivesFaults !== true) this.#end(why, 1, false)
    })
  }

  /** Called again, it does not wait. */
  #end(why: string, exitCode: number, announces: boolean): void {
    if (this.#stop) return this.#stop.hurry()
    const announceMs = announces ? this.#serving.server.drainAnnounceMs : 0
    // They may have had longer until now.
    setTimeout(() => this.#abortLeaving(), this.#serving.server.drainTimeoutMs).unref()
    this.#stop = new Stop(this.#serving, { why, exitCode, announceMs, alongside: this.#leaving.values() })
  }

  /** Never rejects. */
  async #reload(why: string): Promise<void> {
    const { gateway } = this.#serving
    gateway.log.info('reloading', { why })
    if (!gateway.keys.persistent && !this.#ways.carry)
      return this.#refuse('API keys are kept in memory, and a reload would lose them. Keep them in a database, or restart the gateway.')
    const checked = await checkConfig(this.#launch)
    const { problem, warnings } = 'problem' in checked ? { ...checked, warnings: [] } : compare(this.#fixed, checked.fixed)
    if (this.#stop) return
    if (problem !== undefined) return this.#refuse(problem)
    for (const warning of warnings) gateway.log.warn(warning)
    try {
      const config = await loadConfig(this.#path, this.#override, { isFresh: true })
      const next = await this.#ways.open(config)
      await this.#ways.carry?.(gateway, next)
      this.#replace(next, config)
    } catch (error) {
      return this.#refuse(problemsOf(error).join('; '))
    }
    this.#serving.gateway.log.info('reloaded')
  }

  #refuse(problem: string): void {
    refuseReload(this.#serving.gateway.log, problem)
    this.#ways.refused?.()
  }

  #replace(gateway: Gateway, { server }: LoadedConfig): void {
    const { gateway: before, listener, admin, server: options } = this.#serving
    if (this.#stop) return this.#leave(gateway, gateway.stop())
    const responses = [listener, admin].flatMap(each => each?.connections.responses ?? [])
    listenNext(listener, gateway, server.tls)
    admin?.serve(gateway.admin, server)
    this.#serving = { gateway, listener, admin, server }
    this.#watch(gateway)
    this.#leave(before, retire(before, responses, this.#ways.retireMs ?? options.drainTimeoutMs))
  }

  #leave(gateway: Gateway, drained: Promise<void>): void {
    const left = drained.catch((error: unknown) => logFailedStop(gateway, error)).finally(() => this.#leaving.delete(gateway))
    this.#leaving.set(gateway, left)
  }

  #abortLeaving(): void {
    for (const gateway of this.#leaving.keys()) gateway.abortRuns()
  }
}

/** Ends a gateway that gets no more requests. */
async function retire(gateway: Gateway, responses: readonly ServerResponse[], timeoutMs: number): Promise<void> {
  gateway.connections.stop()
  await finish(gateway, timeoutMs, () => responses.some(({ closed }) => !closed))
  for (const response of responses) response.destroy()
  await gateway.stop()
}
