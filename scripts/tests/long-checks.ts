/** The checks of `npm run test:long`. The short form of each is in `npm test`. */
export interface LongCheck {
  readonly name: string
  /** How the long form differs from the short one, for docs/long-checks.md. */
  readonly difference: string
  /** Test files or folders that know both forms (`isLong` in test/kit/long.ts), or programs in turn. */
  readonly files?: readonly string[]
  readonly programs?: readonly (readonly string[])[]
  /** How many processes run at once, where each keeps several cores busy. */
  readonly jobs?: number
}

export const longChecks: readonly LongCheck[] = [
  {
    name: 'Packages that turnpike makes',
    difference:
      '`npm create turnpike` from a registry on loopback, as typed: a gateway, and a package of each kind of plugin, which is installed, checked, tested, packed, and installed into that gateway; the short form makes them in the repository',
    files: ['test/config/scaffold/installed.test.ts'],
  },
  {
    name: 'Faults of vendors',
    difference: 'every fault of [reliability.md](reliability.md) on every wire; the short form tries each fault on one wire',
    files: ['test/gateway/reliability/page.test.ts'],
  },
  {
    name: 'Fuzzing with schemathesis',
    difference: '500 examples per operation and phase instead of 10',
    files: ['test/gateway/described.test.ts'],
  },
  {
    name: 'Properties',
    difference: '20 times as many cases',
    files: [
      'test/gateway/properties',
      'test/core/generation/structured-output-texts.test.ts',
      'test/core/generation/lowering-tools.test.ts',
      'test/core/tokens',
      'test/plugins/decisions/llm-calibration.test.ts',
      'test/plugins/decisions/llm.test.ts',
      'test/plugins/endpoints/decisions-properties.test.ts',
      'test/plugins/guardrails/redaction-properties.test.ts',
      'test/plugins/guardrails/words.test.ts',
      'test/plugins/sorts/performance.test.ts',
    ],
  },
  {
    name: 'Ways into HTTP',
    difference: 'without a socket, too; the short form has Node.js and h3',
    files: ['test/core/server'],
  },
  {
    name: 'Crashes',
    difference: '20 kills under load on each database instead of 3, and a gateway that stands still while it streams',
    files: ['test/plugins/stores/sql-crash.test.ts', 'test/plugins/stores/sql-stopped.test.ts'],
  },
  {
    name: 'Workers',
    difference: '20,000 new connections during a reload instead of 2,000',
    files: ['test/config/workers/workers.test.ts'],
  },
  {
    name: 'Restarts',
    difference:
      'nine restarts of three gateways behind nginx and HAProxy at 200 requests a second, and kills; the short form has two restarts',
    files: ['test/config/restarts-behind-proxies.test.ts', 'test/config/workers/workers.test.ts'],
  },
  {
    name: 'Scaling',
    difference:
      'every fault of Redis, Postgres, a replica and its clock, and network namespaces; the short form has a killed Redis and one that a replica is cut off from',
    files: ['test/plugins/stores/valkey-failover.test.ts', 'test/gateway/scaling'],
    jobs: 2,
  },
  {
    name: 'Deployment',
    difference:
      'every step of the Dockerfile, the chart in four sets of values as Helm renders it, and the schemas of Kubernetes and compose; the short form runs the image with what the tests have built. Needs Go, Python and systemd',
    files: ['test/deploy'],
  },
  {
    name: 'Upgrades',
    difference:
      'the version before beside this one, on one Postgres and one Valkey, forwards and back under load; the short form compares tables only',
    files: ['test/gateway/upgrades/upgrades.test.ts'],
  },
  {
    name: 'Package',
    difference:
      'the tarball in an empty folder, publint, and the types under every way to resolve modules; the short form reads what npm would pack',
    files: ['test/scripts/packed.test.ts'],
  },
  {
    name: 'Site',
    difference: 'builds the site, and follows every link in it; there is no short form. Downloads the generator',
    programs: [['site/build.ts']],
  },
  {
    name: 'Memory',
    difference: 'RSS and heap after a collection, from request 200,000 to request 1,200,000; there is no short form',
    programs: [
      ['scripts/build.js', '--javascript-only'],
      ['bench/soak.ts', '--only', 'growth'],
    ],
  },
]
