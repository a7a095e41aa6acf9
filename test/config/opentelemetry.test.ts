import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { PluginUse } from '../../core/index.ts'
import { withAdmin } from '../../config/admin/client.ts'
import { defaults } from '../../config/defaults.ts'
import { loadConfig } from '../../config/load.ts'
import { openGateway } from '../../config/open-gateway.ts'
import { collector } from '../plugins/telemetry/collector.ts'

async function optionsWith(t: Test, environment: Readonly<Record<string, string>>): Promise<object | undefined> {
  const before = { ...process.env }
  const restore = (): void => void (process.env = before)
  t.teardown(restore)
  for (const name of Object.keys(process.env)) if (name.startsWith('OTEL_')) delete process.env[name]
  Object.assign(process.env, environment)
  try {
    const uses = (await Promise.all(defaults({ without: ['ollama'] }))).filter((use): use is PluginUse => use !== false)
    return uses.find(({ plugin }) => plugin.name === 'opentelemetry')?.options
  } finally {
    restore()
  }
}

const endpoint = 'http://collector.example.com:4318'

t.test('defaults() sends telemetry if OTEL_EXPORTER_OTLP_ENDPOINT is set', async t => {
  t.equal(await optionsWith(t, {}), undefined)
  t.equal(await optionsWith(t, { OTEL_SERVICE_NAME: 'demo' }), undefined)
  t.equal(await optionsWith(t, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'true' }), undefined)
  const none = { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' }
  t.equal(await optionsWith(t, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...none }), undefined)
  t.match(await optionsWith(t, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }), { endpoint, signals: ['traces', 'metrics', 'logs'] })
})

t.test('the other standard variables become options', async t => {
  const options = await optionsWith(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example.com/api/otlp',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20demo-token, x-scope = a%2Cb',
    OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'x-dataset=demo',
    OTEL_EXPORTER_OTLP_TIMEOUT: '5000',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_LOGS_EXPORTER: 'none',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=ignored,deployment.environment.name=demo',
    OTEL_SERVICE_NAME: 'demo-gateway',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
    OTEL_METRIC_EXPORT_INTERVAL: '30000',
    OTEL_BSP_SCHEDULE_DELAY: '2000',
    OTEL_PROPAGATORS: 'b3',
    OTEL_SEMCONV_STABILITY_OPT_IN: 'http,gen_ai_latest_experimental',
  })
  t.same(options, {
    endpoint,
    signals: ['traces', 'metrics'],
    urls: { traces: 'https://traces.example.com/api/otlp' },
    headers: { authorization: 'Bearer demo-token', 'x-scope': 'a,b' },
    signalHeaders: { metrics: { 'x-dataset': 'demo' } },
    serviceName: 'demo-gateway',
    resource: { 'deployment.environment.name': 'demo' },
    timeoutMs: 5000,
    delayMs: 2000,
    metricIntervalMs: 30000,
    compression: 'gzip',
    sampling: { ratio: 0.25, parent: true },
    propagate: false,
    conventions: 'latest',
  })
  const named = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_RESOURCE_ATTRIBUTES: 'service.name=demo', OTEL_TRACES_SAMPLER: 'always_off' }
  t.match(await optionsWith(t, named), { serviceName: 'demo', sampling: { ratio: 0, parent: false }, resource: {} })
})

t.test('a variable that is wrong says so', async t => {
  const bad: readonly [string, string, RegExp][] = [
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', /OTEL_EXPORTER_OTLP_PROTOCOL is "grpc", but the gateway sends http\/protobuf only.*4318/],
    ['OTEL_EXPORTER_OTLP_LOGS_PROTOCOL', 'grpc', /OTEL_EXPORTER_OTLP_LOGS_PROTOCOL/],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', '5s', /OTEL_EXPORTER_OTLP_TIMEOUT must be a whole number of milliseconds from 1, but is "5s"/],
    ['OTEL_EXPORTER_OTLP_COMPRESSION', 'zstd', /must be one of gzip, none, but is "zstd"/],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote', /must be one of always_on/],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'demo-secret', /must be pairs such as key=value/],
  ]
  for (const [variable, value, message] of bad) {
    const error = await optionsWith(t, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, [variable]: value }).catch((caught: Error) => caught)
    t.match((error as Error).message, message)
    t.notMatch((error as Error).message, /demo-secret/)
  }
})

t.test('a command that serves no requests sends nothing, and waits for no collector', async t => {
  const collecting = await collector(t, () => {})
  const file = join(
    t.testdir({
      'gateway.config.ts': `
        import { defineConfig } from 'turnpike/config'
        import memory from 'turnpike/plugins/stores/memory'
        import localSealer from 'turnpike/plugins/sealers/local'
        import opentelemetry from 'turnpike/plugins/telemetry/opentelemetry'
        export default defineConfig({
          server: { admin: { port: 0 } },
          plugins: [memory(), localSealer({ masterKey: '${'0'.repeat(64)}' }), opentelemetry({ endpoint: '${collecting.url}', flushMs: 50 })],
        })`,
    }),
    'gateway.config.ts',
  )
  const config = await loadConfig(file)
  for (const options of [{ lookOnly: true }, { serves: false }])
    await (await openGateway(config, { logLevel: 'silent', ...options })).stop()
  await withAdmin({ config: file }, async client => void t.same((await client.all('/keys')).length, 0))
  t.equal(collecting.count, 0)
  await (await openGateway(config, { logLevel: 'silent' })).stop()
  t.equal(collecting.count, 1, 'a gateway sends its metrics when it stops')
})
