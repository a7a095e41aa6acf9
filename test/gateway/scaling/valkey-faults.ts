import type { Fault } from './faults.ts'
import type { ValkeyServer } from '../../plugins/stores/valkey-server.ts'
import type { Relay } from './relay.ts'

const all: Fault['alone'] = replicas => replicas

/** The faults that can happen to Valkey. Replica `i` reaches it through `relays[i]`. */
export function valkeyFaults(valkey: ValkeyServer, relays: readonly Relay[]): Readonly<Record<string, Fault>> {
  const signal = (name: NodeJS.Signals): void => void process.kill(valkey.pid, name)
  return {
    killed: { name: 'killed', alone: all, begin: () => valkey.kill(), end: () => valkey.restart() },
    stopped: { name: 'stopped', alone: all, begin: () => valkey.terminate(), end: () => valkey.restart() },
    stalled: { name: 'stalled', alone: all, begin: () => signal('SIGSTOP'), end: () => signal('SIGCONT') },
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
