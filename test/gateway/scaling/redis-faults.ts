import type { Fault } from './faults.ts'
import type { RedisServer } from './redis-server.ts'
import type { Relay } from './relay.ts'

const all: Fault['alone'] = replicas => replicas

/** The faults that can happen to Redis. Replica `i` reaches it through `relays[i]`. */
export function redisFaults(redis: RedisServer, relays: readonly Relay[]): Readonly<Record<string, Fault>> {
  return {
    killed: { name: 'killed', alone: all, begin: () => redis.stop('SIGKILL'), end: () => redis.restart() },
    stopped: { name: 'stopped', alone: all, begin: () => redis.stop('SIGTERM'), end: () => redis.restart() },
    stalled: { name: 'stalled', alone: all, begin: () => redis.signal('SIGSTOP'), end: () => redis.signal('SIGCONT') },
    slow: { name: 'slow', alone: all, begin: () => delay(relays, 200), end: () => delay(relays, 0) },
    'cut off from one': {
      name: 'cut',
      alone: replicas => replicas.slice(0, 1),
      begin: () => relays[0]!.cut(),
      end: () => relays[0]!.heal(),
    },
  }
}

function delay(relays: readonly Relay[], ms: number): void {
  for (const relay of relays) relay.delayMs = ms
}
