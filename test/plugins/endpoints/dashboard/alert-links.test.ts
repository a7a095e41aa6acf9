import t from 'tap'
import { severityTone, subjectHref } from '../../../../plugins/endpoints/dashboard/app/pages/alerts/alert.ts'

const created_at = '2026-01-31T12:00:00.000Z'
const around = 'time=custom&from=2026-01-31T11%3A00%3A00.000Z&to=2026-01-31T12%3A10%3A00.000Z'

t.test('an alert leads to its subject, or to the requests around its time', t => {
  for (const [kind, subject, expected] of [
    ['cap', 'key:k7f3', 'keys?id=k7f3'],
    ['cap', 'org:a%2Fb', 'accounts?level=org&id=a%2Fb'],
    ['cap', 'team:acme/research%20%26%20more', 'accounts?level=team&id=research+%26+more&org=acme'],
    ['cap', 'user:100%/x', 'accounts?level=user&id=x&org=100%25'],
    ['provider', 'provider:north', `logs?provider=north&${around}&status=error`],
    ['latency', 'model:north/models/a:b', `logs?provider=north&model=models%2Fa%3Ab&${around}&sort=elapsed_ms`],
    ['errors', 'gateway', `logs?${around}&status=error`],
    ['records', 'sink:console', undefined],
    ['certificate', 'certificate:server', undefined],
    ['cap', 'team:acme', undefined],
    ['provider', 'javascript:alert(1)', undefined],
  ] as const)
    t.equal(subjectHref({ kind, subject, created_at }), expected, subject)
  t.end()
})

t.test('an all-clear looks good', t => {
  t.equal(severityTone({ severity: 'critical', resolves: 'alert_1' }), 'good')
  t.same(
    (['critical', 'warning', 'info'] as const).map(severity => severityTone({ severity, resolves: null })),
    ['bad', 'warn', 'info'],
  )
  t.end()
})
