import { TurnpikeProcess, type Workplace } from '../../kit/turnpike-process.ts'

/** How one replica differs from the others. */
export interface ReplicaSettings {
  readonly environment?: Readonly<Record<string, string>>
  readonly launcher?: readonly string[]
  readonly arguments?: readonly string[]
  /** Where it is reached, if not on the loopback interface. */
  readonly address?: string
}

/** One gateway process: a replica of a cluster. */
export class Replica {
  readonly #workplace: Workplace
  readonly #settings: ReplicaSettings
  readonly url: string
  readonly adminUrl: string
  readonly process: TurnpikeProcess

  private constructor(workplace: Workplace, settings: ReplicaSettings, process: TurnpikeProcess, url: string, adminUrl: string) {
    this.#workplace = workplace
    this.#settings = settings
    this.process = process
    this.url = url
    this.adminUrl = adminUrl
  }

  static async start(workplace: Workplace, settings: ReplicaSettings): Promise<Replica> {
    const { environment, launcher, arguments: more = [], address = '127.0.0.1' } = settings
    const process = workplace.spawn(['start', ...more], [], environment, launcher)
    const reached = (url: string): string => url.replace(/\/\/[^:/]+/, `//${address}`).replace(/,$/, '')
    const url = reached(await process.url())
    const [, adminUrl] = await process.says(/The admin API is on (http:\S+)/)
    return new Replica(workplace, settings, process, url, reached(adminUrl!))
  }

  /** Another process in its place, on other ports. */
  async again(): Promise<Replica> {
    return await Replica.start(this.#workplace, this.#settings)
  }

  async kill(): Promise<void> {
    this.process.signal('SIGKILL')
    await this.process.finished
  }
}
