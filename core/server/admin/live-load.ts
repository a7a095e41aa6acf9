import { LiveAnswers } from '../../call/live-answers.ts'
import { LiveOperations } from '../../call/live-operations.ts'
import type { GatewayLoad } from '../../contracts/gateway-load.ts'
import { Coordinated } from '../../coordination/coordinated.ts'
import { wire, type Dependencies } from '../../framework/container.ts'
import { OpenConnections } from '../connections/open-connections.ts'
import { LiveBodies } from '../live-bodies.ts'

const dependencies = {
  answers: LiveAnswers,
  bodies: LiveBodies,
  connections: OpenConnections,
  coordinated: Coordinated.token,
  operations: LiveOperations,
}

const names = ['requests', 'connections', 'answerBytes', 'bodyBytes'] as const
type OwnLoad = Pick<GatewayLoad, (typeof names)[number]>

/** Tells the others what this process has in progress, and adds up what all have. */
export class LiveLoad {
  readonly #parts: Dependencies<typeof dependencies>

  static {
    wire(this, dependencies)
  }

  constructor(parts: Dependencies<typeof dependencies>) {
    this.#parts = parts
    parts.coordinated.addGauges(() => ({ ...this.own }))
  }

  /** Of all processes that count together, as of a second ago. Of this one while nobody knows of the others. */
  async all(): Promise<GatewayLoad> {
    const { coordinated } = this.#parts
    const gauges = (coordinated.isUp && (await coordinated.gauges())) || [{ ...this.own }]
    const sum = (name: string): number => gauges.reduce((total, each) => total + (each[name] ?? 0), 0)
    return { processes: gauges.length, ...(Object.fromEntries(names.map(name => [name, sum(name)])) as unknown as OwnLoad) }
  }

  /** Of this process. */
  get own(): OwnLoad {
    const { answers, bodies, connections, operations } = this.#parts
    return { requests: operations.count, connections: connections.count, answerBytes: answers.bytes, bodyBytes: bodies.bytes }
  }
}
