import { drain } from './drain.ts'
import { adminAddress, listenAdmin, type AdminListener } from './listen-admin.ts'
import { listen, type Listener } from './listen.ts'
import { loadConfig, type LoadedConfig } from './load.ts'
import { openGateway } from './open-gateway.ts'
import { outliveReaders } from './outlive-readers.ts'
import type { ServerInput } from './schema.ts'
import { Stop, watchGateway } from './serving.ts'
import { onSignals } from './signals.ts'
import { welcome } from './welcome.ts'

/** A gateway that one process serves. */
export class SingleProcess {
  readonly config: LoadedConfig

  private constructor(config: LoadedConfig) {
    this.config = config
  }

  static async load(path: string | undefined, override: ServerInput): Promise<SingleProcess> {
    return new SingleProcess(await loadConfig(path, override))
  }

  async start(): Promise<void> {
    const { server } = this.config
    const gateway = await openGateway(this.config)
    let admin: AdminListener | undefined
    let listener: Listener | undefined
    try {
      const address = gateway.admin && adminAddress(server)
      // The public address comes first: if both are taken, the error names that one.
      listener = await listen(gateway, server)
      admin = address && (await listenAdmin(gateway.admin!, address, server))
    } catch (error) {
      if (listener) await drain(gateway, listener, 0)
      else await gateway.stop()
      throw error
    }
    outliveReaders()
    const serving = { gateway, listener, admin, drainTimeoutMs: server.drainTimeoutMs }
    let stop: Stop | undefined
    onSignals({
      stop: (signal, announces) => {
        if (stop) stop.hurry()
        else stop = new Stop(serving, signal, 0, announces ? server.drainAnnounceMs : 0)
      },
      reload: () => {},
    })
    watchGateway(gateway, why => (stop ??= new Stop(serving, why, 1, 0)))
    await welcome(gateway, listener, admin)
  }
}
