import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { parseAllDocuments } from 'yaml'
import { isLong } from '../kit/long.ts'
import { go, helm, programAt, pythonTool, run } from './tools.ts'

// Helm renders the chart with several values, and published schemas judge what comes out. Only in `npm run test:long`: Helm is built first.

const chart = fileURLToPath(new URL('../../deploy/helm/turnpike', import.meta.url))
const values: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'a Secret that exists': { secret: { existingSecret: 'turnpike-secrets' } },
  'a store of secrets': {
    externalSecret: {
      enabled: true,
      storeRef: { name: 'vault', kind: 'SecretStore' },
      dataFrom: 'turnpike',
      data: [{ secretKey: 'OPENAI_API_KEY', remoteRef: { key: 'openai' } }],
    },
    imagePullSecrets: [{ name: 'registry' }],
    image: { repository: 'registry.example.com/turnpike', digest: `sha256:${'0'.repeat(64)}` },
    config: "import { defaults, defineConfig } from 'turnpike/config'\n\nexport default defineConfig({ plugins: [...defaults()] })\n",
    workers: 'auto',
    env: [{ name: 'NODE_OPTIONS', value: '--max-old-space-size=1024' }],
    envFrom: [{ secretRef: { name: 'vendors' } }],
    drain: { announceMs: 10_000, timeoutMs: 90_500, stopSeconds: 20 },
    service: { type: 'LoadBalancer', port: 443, annotations: { 'example.com/internal': 'true' } },
    adminService: { hosts: ['turnpike.example.com'], annotations: { 'example.com/note': 'admin' } },
    ingress: { enabled: true, className: 'nginx', tlsSecret: 'tls', annotations: { 'nginx.ingress.kubernetes.io/proxy-buffering': 'off' } },
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' }, tokenSecret: { name: 'metrics' } },
    autoscaling: { enabled: true, maxReplicas: 20 },
    migration: { enabled: true },
    podDisruptionBudget: { maxUnavailable: '25%' },
    networkPolicy: {
      callers: [{ namespaceSelector: { matchLabels: { team: 'acme' } } }],
      admins: [{ podSelector: { matchLabels: { app: 'prometheus' } } }],
      egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }],
    },
    serviceAccount: { annotations: { 'example.com/role': 'turnpike' } },
    podAnnotations: { 'example.com/note': 'pod' },
    podLabels: { team: 'acme' },
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [{ key: 'dedicated', operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
    priorityClassName: 'high',
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'DoNotSchedule' }],
    fullnameOverride: 'gateway',
  },
  'SQLite on a volume': { persistence: { enabled: true, storageClass: 'fast' }, replicaCount: 1 },
  'as little as possible': {
    secret: { existingSecret: 'turnpike-secrets' },
    adminService: { enabled: false },
    networkPolicy: { enabled: false },
    podDisruptionBudget: { enabled: false },
    serviceAccount: { create: false },
  },
}
const refused: readonly (readonly [values: object, message: RegExp])[] = [
  [{}, /the gateway has no database: set secret\.existingSecret/],
  [{ persistence: { enabled: true } }, /persistence is for a single pod: set replicaCount to 1/],
  [{ persistence: { enabled: true }, replicaCount: 1, autoscaling: { enabled: true } }, /excludes autoscaling/],
  [{ persistence: { enabled: true }, replicaCount: 1, migration: { enabled: true } }, /leave migration\.enabled out/],
  [{ externalSecret: { enabled: true } }, /externalSecret\.storeRef\.name is missing/],
  [{ externalSecret: { enabled: true, storeRef: { name: 'vault' } } }, /needs dataFrom or data/],
  [{ externalSecret: { enabled: true }, secret: { existingSecret: 'both' } }, /expected either .* and got both/],
  [
    { secret: { existingSecret: 'x' }, serviceMonitor: { enabled: true }, adminService: { enabled: false } },
    /serviceMonitor needs adminService/,
  ],
  [{ secret: { existingSecret: 'x' }, replicas: 3 }, /replicas/],
  [{ secret: { existingSecret: 'x' }, image: { pullPolicy: 'Sometimes' } }, /pullPolicy/],
]

/** From the oldest one that the chart takes. */
const kubernetes = ['1.25', '1.28', '1.31', '1.34', '1.37']
/** Nobody publishes them with those of Kubernetes. */
const withoutSchema = ['ExternalSecret', 'ServiceMonitor']

interface Rendered {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  readonly spec: any
  readonly data?: Readonly<Record<string, string>>
}

const skip = !isLong ? 'npm run test:long builds Helm for it' : (go ?? programAt('helm')) === undefined && 'needs Helm, or Go to build it'

t.test('the chart', { skip, timeout: 1_800_000 }, async t => {
  const program = helm()!
  const scratch = mkdtempSync(join(tmpdir(), 'turnpike-chart-'))
  t.teardown(() => rmSync(scratch, { recursive: true, force: true }))
  const fileOf = (given: object): string => {
    const file = join(scratch, 'values.json')
    writeFileSync(file, JSON.stringify(given))
    return file
  }

  for (const [name, given] of Object.entries(values))
    await t.test(`with ${name}`, async t => {
      const file = fileOf(given)
      t.match(run(program, ['lint', '--strict', '--values', file, chart]), /0 chart\(s\) failed/)
      const text = run(program, ['template', 'demo', chart, '--namespace', 'acme', '--kube-version', kubernetes.at(-1)!, '--values', file])
      const documents = parseAllDocuments(text)
        .map(document => document.toJS() as Rendered | null)
        .filter(document => document !== null)
      checkPods(t, documents, given)
      const known = join(scratch, 'known.yaml')
      writeFileSync(
        known,
        documents
          .filter(({ kind }) => !withoutSchema.includes(kind))
          .map(document => JSON.stringify(document))
          .join('\n---\n'),
      )
      const validate = pythonTool('kubernetes-validate')!
      for (const version of kubernetes) {
        const { status, stdout, stderr } = spawnSync(validate, ['--strict', '--kubernetes-version', version, known], { encoding: 'utf8' })
        t.equal(status, 0, `Kubernetes ${version}\n${stdout}${stderr}`)
      }
    })

  await t.test('refuses values that cannot work, and says what to change', async t => {
    for (const [given, message] of refused) {
      const { status, stderr } = spawnSync(
        program,
        ['template', 'demo', chart, '--kube-version', kubernetes[0]!, '--values', fileOf(given)],
        {
          encoding: 'utf8',
        },
      )
      t.equal(status, 1)
      t.match(stderr, message)
    }
  })
})

function checkPods(t: Test, documents: readonly Rendered[], given: Readonly<Record<string, any>>): void {
  const of = (kind: string): readonly Rendered[] => documents.filter(document => document.kind === kind)
  const [deployment] = of('Deployment')
  const { spec: pod, metadata } = deployment!.spec.template
  const [container] = pod.containers
  const { announceMs = 5_000, timeoutMs = 30_000, stopSeconds = 30 } = given['drain'] ?? {}
  t.equal(pod.terminationGracePeriodSeconds, Math.ceil((announceMs + timeoutMs) / 1_000) + stopSeconds)
  t.match(pod.securityContext, { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } })
  t.same(container.securityContext, { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } })
  t.equal(pod.automountServiceAccountToken, false)
  t.equal(container.readinessProbe.httpGet.path, '/ready')
  for (const probe of ['startupProbe', 'livenessProbe']) t.equal(container[probe].httpGet.path, '/live')
  const config = of('ConfigMap')[0]!.data!['gateway.config.ts']
  t.equal(config, given['config'] ?? readFileSync(join(chart, 'files/gateway.config.ts'), 'utf8'))
  const isSingle = given['persistence']?.enabled === true
  t.equal(container.volumeMounts.find(({ name }: { name: string }) => name === 'data').readOnly, isSingle ? undefined : true)
  t.equal(deployment!.spec.strategy.type, isSingle ? 'Recreate' : 'RollingUpdate')
  t.equal(deployment!.spec.replicas, given['autoscaling']?.enabled ? undefined : (given['replicaCount'] ?? 2))
  t.equal(of('HorizontalPodAutoscaler').length, given['autoscaling']?.enabled ? 1 : 0)
  t.equal(of('PodDisruptionBudget').length, isSingle || given['podDisruptionBudget']?.enabled === false ? 0 : 1)
  t.equal(of('NetworkPolicy').length, given['networkPolicy']?.enabled === false ? 0 : 1)
  for (const { spec } of [
    ...of('Service'),
    ...of('NetworkPolicy').map(({ spec }) => ({ spec: { selector: spec.podSelector.matchLabels } })),
  ])
    for (const [label, value] of Object.entries(spec.selector)) t.equal(metadata.labels[label], value, 'it selects the pods')
  for (const { spec } of of('Job')) {
    t.same(spec.template.spec.containers[0].args, ['migrate'])
    t.same(spec.template.spec.containers[0].env, container.env)
    t.same(spec.template.spec.securityContext, pod.securityContext)
    t.notOk('app.kubernetes.io/name' in spec.template.metadata.labels, 'no service sends requests to it')
  }
  for (const policy of of('NetworkPolicy')) {
    const admin = policy.spec.ingress.filter(({ ports }: { ports: readonly { port: number }[] }) => ports.some(({ port }) => port === 8081))
    t.ok(
      admin.every((rule: { from?: unknown }) => rule.from !== undefined),
      'only those who are named reach the admin port',
    )
  }
  for (const monitor of of('ServiceMonitor'))
    t.ok(
      of('Service').some(
        ({ metadata, spec }) =>
          Object.entries(monitor.spec.selector.matchLabels).every(([label, value]) => metadata.labels[label] === value) &&
          spec.ports.some(({ name }: { name: string }) => name === monitor.spec.endpoints[0].port),
      ),
      'it finds the service',
    )
}
