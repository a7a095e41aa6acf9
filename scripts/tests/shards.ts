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
  { name: 'package', folders: ['test/config', 'test/deploy', 'test/scripts', 'test/bench', 'examples'], startsCommand: true },
  { name: 'plugins', folders: ['test/plugins', 'test/dialects'] },
  { name: 'core', folders: ['test/core', 'test/repository'], startsCommand: true },
]

/** Files that get a process of their own, with the reason. In the order in which they start: the longest first. */
export const alone: Readonly<Record<string, string>> = {
  'test/gateway/reliability/page.test.ts': 'takes long',
  'test/plugins/endpoints/dashboard/pages.test.ts': 'takes long',
  'test/plugins/endpoints/dashboard/management.test.ts': 'takes long',
  'test/plugins/endpoints/dashboard/roles.test.ts': 'takes long',
  'test/plugins/endpoints/dashboard/journey.test.ts': 'takes long',
  'test/plugins/endpoints/dashboard/night.test.ts': 'waits for alerts to be delivered',
  'test/plugins/providers/recordings/openai-chat.test.ts': 'takes long',
  'test/config/command.test.ts': 'takes long',
  'test/core/call/answer-limits.test.ts': 'takes long',
  'test/plugins/stores/sql-postgres.test.ts': 'takes long',
  'test/plugins/stores/sql-background.test.ts': 'takes long, and runs its tests side by side (`t.jobs`)',
  'test/plugins/stores/sql-stop.test.ts': 'runs its tests side by side (`t.jobs`), which would hold for the files after it',
  'test/gateway/alerts/alerts.test.ts': 'waits for timers, and runs its tests side by side (`t.jobs`)',
  'test/core/guards/guard-failures.test.ts': 'takes long',
  'test/gateway/described.test.ts': 'takes long',
  'test/config/admin.test.ts': 'takes long',
  'test/config/restarts-behind-proxies.test.ts': 'waits for timers of proxies',
}
