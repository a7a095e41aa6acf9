import type {
  Beat,
  Claim,
  Claimed,
  Coordination,
  CoordinatedWindow,
  CountDelta,
  CountSum,
  Gauges,
  PlaceChange,
  Unclaimed,
  WindowChange,
} from '../../core/contracts/coordination.ts'
import type { TokenWindow } from '../../core/contracts/rate-limiter.ts'
import type { OwnerClient } from './owner-client.ts'

/** Counts with the other processes of this machine, in their owner process. */
export class OwnedCoordination implements Coordination {
  readonly #client: OwnerClient
  readonly expectedProcesses: number

  constructor(client: OwnerClient, expectedProcesses: number) {
    this.#client = client
    this.expectedProcesses = expectedProcesses
  }

  claim(claim: Claim): Promise<Claimed | Unclaimed> {
    return this.#client.call('claim', claim)
  }

  async change(windows: readonly WindowChange[], places: readonly PlaceChange[]): Promise<void> {
    await this.#client.change(windows, places)
  }

  states(group: string, windows: readonly TokenWindow[]): Promise<readonly CoordinatedWindow[]> {
    return this.#client.call('states', group, windows)
  }

  /** Workers that are about to start count, too: their parent has said how many there will be. */
  async beat(gauges: Gauges): Promise<Beat> {
    const { processes, generation } = await this.#client.call('beat', gauges)
    return { processes: Math.max(processes, this.expectedProcesses), generation }
  }

  gauges(): Promise<readonly Gauges[]> {
    return this.#client.call('gauges')
  }

  exchange(
    deltas: readonly CountDelta[],
    since: string | undefined,
  ): Promise<{ readonly sums: readonly CountSum[]; readonly since: string }> {
    return this.#client.call('exchange', deltas, since ?? null)
  }
}
