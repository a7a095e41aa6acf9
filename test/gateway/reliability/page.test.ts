import { readFileSync } from 'node:fs'
import t from 'tap'
import { reliabilityPage } from './page.ts'

// Time-outs take their time, on every wire.
t.setTimeout(900_000)

t.test('every fault ends as docs/reliability.md says', async t => {
  const committed = readFileSync(new URL('../../../docs/reliability.md', import.meta.url), 'utf8').split('\n')
  const found = (await reliabilityPage()).split('\n')
  t.ok(found.length > 50)
  t.same(
    found.filter(line => !committed.includes(line)),
    [],
    'these lines are new: run `npm run docs`, and look at what changed',
  )
  t.same(found, committed)
})
