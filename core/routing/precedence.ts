import type { Endpoint } from '../contracts/catalog.ts'
import { Circuits } from '../contracts/circuits.ts'
import type { Preferred } from '../contracts/log-sink.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { Caller } from '../contracts/run-context.ts'
import { Sealer } from '../contracts/sealer.ts'
import { Random } from '../foundation/random.ts'
import { wire, type Dependencies } from '../framework/container.ts'
import { Providers } from '../framework/extension-points.ts'
import { Settings } from '../framework/settings.ts'
import { Affinity } from './affinity.ts'
import { accountsOf } from './compaction-holders.ts'
import type { EndpointView } from './endpoint-view.ts'
import type { Ranked } from './ranking.ts'
import type { Sort } from './sorts.ts'
import { carriesState, holderOfState } from './state.ts'

const dependencies = {
  affinity: Affinity,
  circuits: Circuits,
  providers: Providers,
  random: Random,
  sealer: Sealer,
  settings: Settings,
}

/** The share of requests with the default sort that explore. */
const explorationShare = 0.02
/** With fewer attempts than this in the last two minutes, an endpoint is worth exploring. */
const fewAttempts = 5
/** To find the endpoint that has the state of a conversation, core decrypts the state by trial. Callers choose its length. */
const maxStateTrials = 32
const maxTriedCharacters = 4_000_000

/** The endpoints of the first name of a request, in the order of the sorts. */
export interface Standing {
  readonly ranked: readonly Ranked[]
  readonly isAuto: boolean
  readonly request: GenerationRequest
  readonly session: string | null
  readonly caller: Caller
  /** Of endpoints. */
  readonly sort: Sort | undefined
  readonly view: EndpointView
  readonly mayExplore: boolean
  /** The id of the stored answer that the request continues. */
  readonly continues: string | undefined
}

/** An endpoint that comes first although others are better. */
export interface Precedent {
  readonly index: number
  readonly reason: Preferred
}

/** Decides whether an endpoint comes before better ones: docs/protocol/routing.md#affinity. */
export class Precedence {
  readonly #parts: Dependencies<typeof dependencies>

  static {
    wire(this, dependencies)
  }

  constructor(parts: Dependencies<typeof dependencies>) {
    this.#parts = parts
  }

  /** Only the state of the conversation overrules an explicit sort. */
  of(standing: Standing): Precedent | undefined {
    const { ranked, request, isAuto, sort, view, mayExplore } = standing
    if (ranked.length < 2) return undefined
    const holder = this.#stateHolder(standing)
    if (holder >= 0) return { index: holder, reason: 'state' }
    const { routing } = request
    if (routing?.provider?.sort !== undefined || (isAuto && routing?.model?.sort !== undefined)) return undefined
    const warm = this.#warm(standing)
    if (warm >= 0) return { index: warm, reason: 'affinity' }
    return mayExplore && sort && this.#parts.random() < explorationShare ? this.#unexplored(ranked, view) : undefined
  }

  #isHealthy(endpoint: Endpoint): boolean {
    return !this.#parts.circuits.isOpen(endpoint)
  }

  #stateHolder({ ranked, request, caller }: Standing): number {
    const newest = request.input.findLast(carriesState)
    if (!newest) return -1
    const trials = Math.min(maxStateTrials, Math.ceil(maxTriedCharacters / (newest.encrypted_content!.length + 1)))
    const bindings = ranked
      .slice(0, trials)
      .flatMap(({ endpoint: { provider, model } }, index) =>
        accountsOf(this.#parts.providers.get(provider)).map(account => ({ org: caller.key.org, provider, account, model, index })),
      )
    const holder = bindings[holderOfState(this.#parts.sealer, newest, bindings)]
    return holder && this.#isHealthy(ranked[holder.index]!.endpoint) ? holder.index : -1
  }

  #warm({ ranked, request: { user }, session, caller, isAuto, sort, continues }: Standing): number {
    const warm = this.#parts.affinity.warm({ session, user }, caller, isAuto ? 'auto' : ranked[0]!.endpoint.model, continues)
    if (!warm) return -1
    const index = ranked.findIndex(({ endpoint }) => endpoint.provider === warm.provider && endpoint.model === warm.model)
    const found = ranked[index]
    return found && this.#isHealthy(found.endpoint) && this.#isNear(found, ranked[0]!, sort) ? index : -1
  }

  /** True if the value is at most `affinityDistance` worse than the best. */
  #isNear({ value }: Ranked, { value: best }: Ranked, sort: Sort | undefined): boolean {
    if (best === undefined || !sort) return true
    if (value === undefined || !Number.isFinite(value)) return false
    const factor = 1 + this.#parts.settings.affinityDistance
    return sort.strategy.first === 'lowest' ? value <= best * factor : value * factor >= best
  }

  #unexplored(ranked: readonly Ranked[], view: EndpointView): Precedent | undefined {
    let fewest = fewAttempts
    let index = -1
    ranked.forEach(({ endpoint }, at) => {
      const requests = view.recentRequests(endpoint)
      if (requests >= fewest || !this.#isHealthy(endpoint)) return
      fewest = requests
      index = at
    })
    return index < 0 ? undefined : { index, reason: 'exploration' }
  }
}

/** The endpoints with the precedent first. A conversation that stays with a model also does so at other providers. */
export function led(ranked: readonly Ranked[], { index, reason }: Precedent): Ranked[] {
  const first = ranked[index]!
  const others = ranked.filter(each => each !== first)
  if (reason === 'exploration') return [first, ...others]
  const isSame = ({ endpoint }: Ranked): boolean => endpoint.model === first.endpoint.model
  return [first, ...others.filter(isSame), ...others.filter(each => !isSame(each))]
}
