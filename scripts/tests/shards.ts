/** The parts in which the tests can be run, each by itself: `npm test -- stores`. */
export interface Shard {
  readonly name: string
  /** A test file belongs to the shard with the longest folder that it is in. */
  readonly folders: readonly string[]
  /** Its tests start the command `turnpike`: it is built once for all of them. */
  readonly startsCommand?: true
}

/** In the order in which they start: those whose files wait for databases and browsers first, so that short ones fill the gaps. */
export const shards: readonly Shard[] = [
  { name: 'stores', folders: ['test/plugins/stores'], startsCommand: true },
  { name: 'dashboard', folders: ['test/plugins/endpoints/dashboard', 'test/clients', 'test/gateway'], startsCommand: true },
  { name: 'package', folders: ['test/config', 'test/scripts', 'test/bench', 'examples'], startsCommand: true },
  { name: 'plugins', folders: ['test/plugins'] },
  { name: 'core', folders: ['test/core', 'test/repository'], startsCommand: true },
]

/** Files that get a process of their own, with the reason. Files of one folder share processes otherwise. */
export const alone: Readonly<Record<string, string>> = {
  'test/plugins/stores/sql-stop.test.ts': 'runs its tests side by side',
}
