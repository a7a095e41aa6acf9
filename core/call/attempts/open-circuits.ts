import type { SharedMap, SharedMaps } from '../../contracts/shared-state.ts'
import { isObject } from '../../foundation/json.ts'
import type { Circuit } from './circuit.ts'

/** The message between gateways about a circuit that opened. The failures that opened it are not part of it. */
interface OpenCircuit {
  /** Only a complete answer closes it. */
  readonly needsEnd: boolean
}

const maxOpen = 10_000

/** The circuits that are open, by name, at this gateway or another. Tells others what opens and closes here. */
export class OpenCircuits {
  readonly #open: SharedMap<OpenCircuit>

  /** `learned` gets what other gateways tell. `open` is undefined if the circuit closed. */
  constructor(shared: SharedMaps, name: string, learned: (circuit: string, open: OpenCircuit | undefined, forMs: number) => void) {
    this.#open = shared.map(`circuits/${name}`, { max: maxOpen, keys: 'ids', accepts: isOpenCircuit })
    this.#open.onChange(learned)
  }

  opened(name: string, circuit: Circuit, now: number): void {
    this.#open.set(name, { needsEnd: circuit.needsEnd }, circuit.view(now).openForMs)
  }

  closed(name: string): void {
    this.#open.delete(name)
  }
}

function isOpenCircuit(value: unknown): value is OpenCircuit {
  return isObject(value) && typeof value['needsEnd'] === 'boolean'
}
