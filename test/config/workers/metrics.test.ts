import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { askProcess, config, Workplace } from '../../kit/turnpike-process.ts'
import { workersOf } from '../../kit/workers-of.ts'
import { scrapedFrom, type Scraped } from '../../kit/scraped.ts'

const options = { skip: process.platform !== 'linux' && 'reads /proc' }
const requests = (worker: number): string =>
  `turnpike_requests_total{surface="responses",kind="generation",status="2xx",worker="${worker}"}`

t.test('one listener shows all workers, and leaves out one that hangs', options, async t => {
  const plugins = `(await import('turnpike/plugins/telemetry/prometheus')).default({ open: true, workerTimeoutMs: 500 })`
  const workplace = new Workplace(config('workers: 2, admin: { port: 0 }', plugins))
  t.teardown(() => workplace.remove())
  const gateway = workplace.spawn(['start'])
  t.teardown(() => gateway.signal('SIGKILL'))
  await gateway.url()
  const [key] = await gateway.says(/tp_\w+/)
  const [, adminUrl] = await gateway.says(/admin API is on (http:\S+)/)
  const scrape = async (): Promise<Scraped> => scrapedFrom(await fetch(`${adminUrl}/metrics`))
  const count = ({ series }: Scraped): number => [1, 2].reduce((sum, worker) => sum + (series.get(requests(worker)) ?? 0), 0)

  for (let asked = 0; asked < 10; asked++) t.equal((await askProcess(gateway, key)).status, 200)
  let all = await scrape()
  while (count(all) < 10) all = await scrape()
  t.equal(count(all), 10, 'each request is counted by one of them')
  t.equal(all.series.get('turnpike_workers'), 2)
  t.equal(all.series.get('turnpike_workers_unreachable'), 0)
  for (const worker of [1, 2]) t.ok(all.series.get(`process_resident_memory_bytes{worker="${worker}"}`)! > 0)
  const types = all.text.split('\n').filter(line => line.startsWith('# TYPE'))
  t.equal(new Set(types).size, types.length)

  const [, second = 0] = workersOf(gateway.pid)
  process.kill(second, 'SIGSTOP')
  const partial = await scrape()
  t.equal(partial.series.get('turnpike_workers'), 1)
  t.equal(partial.series.get('turnpike_workers_unreachable'), 1)
  t.notMatch(partial.text, 'worker="2"')
  process.kill(second, 'SIGCONT')
  while ((await scrape()).series.get('turnpike_workers') !== 2);

  process.kill(second, 'SIGKILL')
  while (workersOf(gateway.pid).length < 2 || workersOf(gateway.pid).includes(second)) await delay(20)
  let replaced = await scrape()
  while (replaced.series.get('turnpike_workers') !== 2) replaced = await scrape()
  t.ok((replaced.series.get(requests(2)) ?? 0) < 10, 'it begins with 0')
})
