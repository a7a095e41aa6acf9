import type { EndpointName } from '../../contracts/circuits.ts'
import type { Circuit } from './circuit.ts'

/** A circuit that failures seen here opened. */
export interface FailingCircuit extends Pick<EndpointName, 'provider' | 'model'> {
  /** On `Clock.elapsed`. */
  readonly since: number
  /** Its latest failure. */
  readonly failedAt: number
}

export function failingIn(
  circuits: ReadonlyMap<string, Circuit>,
  endpointOf: (name: string) => Pick<EndpointName, 'provider' | 'model'>,
): readonly FailingCircuit[] {
  return Array.from(circuits, ([name, { failingSince: since, failedAt }]) =>
    since === undefined ? [] : [{ ...endpointOf(name), since, failedAt }],
  ).flat()
}
