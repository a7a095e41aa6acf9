import t from 'tap'
import { exposition } from '../../../plugins/telemetry/prometheus/exposition.ts'
import { prefersOpenMetrics } from '../../../plugins/telemetry/prometheus/format.ts'
import type { Metric } from '../../../plugins/telemetry/prometheus/metric.ts'

t.test('`accept` decides about the format', t => {
  for (const accept of [
    // Prometheus 2.42 and 3.
    'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,text/plain;version=1.0.0;q=0.3,*/*;q=0.2',
    'application/openmetrics-text',
    'text/plain, application/openmetrics-text; version="1.0.0"',
    '*/*, APPLICATION/OpenMetrics-Text',
  ])
    t.equal(prefersOpenMetrics(accept), true, accept)
  for (const accept of [
    null,
    '',
    '*/*',
    'text/plain',
    'text/html,application/xhtml+xml,*/*;q=0.8',
    'application/openmetrics-text;q=0.1,text/plain',
    'application/openmetrics-text;q=0',
    'application/openmetrics-text;version=2.0.0',
    'application/openmetrics-text;q=nonsense',
    ',;,;=',
  ])
    t.equal(prefersOpenMetrics(accept), false, accept ?? 'no header')
  t.end()
})

const metrics: readonly Metric[] = [
  {
    name: 'demo_requests_total',
    help: 'Requests.',
    type: 'counter',
    values: [
      { labels: { model: 'plain' }, value: 3 },
      { labels: { model: 'a "quoted" \\ name\nin two lines' }, value: 0.5 },
    ],
  },
  {
    name: 'demo_seconds',
    help: 'Times.',
    type: 'histogram',
    values: [
      { metricName: 'demo_seconds_bucket', labels: { le: '1' }, value: 1 },
      { metricName: 'demo_seconds_bucket', labels: { le: '+Inf' }, value: 2 },
      { metricName: 'demo_seconds_sum', labels: {}, value: 3.5 },
      { metricName: 'demo_seconds_count', labels: {}, value: 2 },
    ],
  },
  { name: 'demo_empty', help: 'Nothing yet.', type: 'gauge', values: [] },
]

t.test('the text format of Prometheus', async t => {
  const { contentType, text } = await exposition(metrics, false)
  t.equal(contentType, 'text/plain; version=0.0.4; charset=utf-8')
  t.equal(
    text,
    `# HELP demo_requests_total Requests.
# TYPE demo_requests_total counter
demo_requests_total{model="plain"} 3
demo_requests_total{model="a \\"quoted\\" \\\\ name\\nin two lines"} 0.5

# HELP demo_seconds Times.
# TYPE demo_seconds histogram
demo_seconds_bucket{le="1"} 1
demo_seconds_bucket{le="+Inf"} 2
demo_seconds_sum 3.5
demo_seconds_count 2

# HELP demo_empty Nothing yet.
# TYPE demo_empty gauge
`,
  )
})

t.test('the text format of OpenMetrics', async t => {
  for (const _ of ['once', 'twice']) {
    const { contentType, text } = await exposition(metrics, true)
    t.equal(contentType, 'application/openmetrics-text; version=1.0.0; charset=utf-8')
    t.match(text, '# TYPE demo_requests counter\ndemo_requests_total{model="plain"} 3\n')
    t.match(text, 'demo_seconds_bucket{le="+Inf"} 2\ndemo_seconds_sum 3.5\n')
    t.ok(text.endsWith('\n# EOF\n'))
    t.notMatch(text, '\n\n')
  }
})
