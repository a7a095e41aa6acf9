import type { ClosedRequest } from '../../../core/kit.ts'
import type { Cell } from './cells.ts'
import { TokenCells } from './endpoints.ts'
import type { Families, OwnerLabel } from './families.ts'
import { LabelValues, other } from './label-values.ts'
import { statusClasses, statusClassOf } from './status-class.ts'

interface Cells {
  readonly statuses: readonly Cell[]
  readonly tokens: TokenCells
  readonly cost: Cell
}

/** The series of organizations, teams or API keys. Requests without one are not counted here. */
export class OwnerCells {
  readonly #member: 'org' | 'team' | 'keyId'
  readonly #families: ReturnType<Families['owned']>
  readonly #values: LabelValues
  readonly #cells = new Map<string, Cells>()
  #other: Cells | undefined

  constructor(label: OwnerLabel, families: Families, max: number, full: () => void) {
    this.#member = label === 'key' ? 'keyId' : label
    this.#families = families.owned(label)
    this.#values = new LabelValues(max, full)
  }

  closed(request: ClosedRequest): void {
    const owner = request[this.#member]
    if (owner === null) return
    const { statuses, tokens, cost } = this.#cells.get(owner) ?? this.#added(owner)
    statuses[statusClassOf(request.status)]!.value++
    if (request.usage) tokens.add(request.usage)
    if (request.costUsd !== null) cost.value += request.costUsd
  }

  #added(owner: string): Cells {
    if (this.#values.of(owner) === other) return (this.#other ??= this.#make(other))
    const cells = this.#make(owner)
    this.#cells.set(owner, cells)
    return cells
  }

  #make(owner: string): Cells {
    const { requests, tokens, cost } = this.#families
    return {
      statuses: statusClasses.map(status => requests.cell(owner, status)),
      tokens: new TokenCells(kind => tokens.cell(owner, kind)),
      cost: cost.cell(owner),
    }
  }
}
