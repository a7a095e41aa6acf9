import { availableParallelism } from 'node:os'
import type { ServerOptions } from '../schema.ts'

/** How many processes serve. `auto` is one for each core that this process may use; Node.js knows the limits of containers. */
export function workersOf(workers: ServerOptions['workers']): number {
  return workers === 'auto' ? availableParallelism() : workers
}
