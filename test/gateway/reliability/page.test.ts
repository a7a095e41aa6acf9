import { readFileSync } from 'node:fs'
import t from 'tap'
import { isLong } from '../../kit/long.ts'
import { onOneWire } from './faults.ts'
import { runMatrix, type Cell } from './matrix.ts'
import { deniedBy, reliabilityPage } from './page.ts'
import { wires } from './wires.ts'

// Time-outs take their time, on every wire.
t.setTimeout(900_000)

const committed = readFileSync(new URL('../../../docs/reliability.md', import.meta.url), 'utf8')

t.test('every fault ends as docs/reliability.md says, on one wire each', async t => {
  const matrix = await runMatrix(onOneWire(wires))
  t.ok(matrix.cells.length > 80 && matrix.crowds.length > 60 && matrix.hedges.length > 5)
  t.same(deniedBy(committed, matrix), [], 'the page does not say this: run `npm run docs`, and look at what changed')
})

t.test('a result that the page lacks is found', async t => {
  const denied = (...cells: readonly Cell[]): number => deniedBy(committed, { cells, crowds: [], hedges: [] }).length
  const [, row = ''] = /^(\| connection refused .*)$/m.exec(committed) ?? []
  const [, , , , tried = '', came = '', triedThen = '', cameThen = ''] = row.split(/ ?\| ?/)
  const right: Cell = {
    fault: 'connection refused',
    mode: 'whole',
    wire: 'gemini',
    alone: { tried, came },
    withFallback: { tried: triedThen, came: cameThen },
  }
  t.equal(denied(right), 0)
  t.equal(denied({ ...right, alone: { tried, came: '200 completed' } }), 1)
  t.equal(denied({ ...right, withFallback: { ...right.withFallback, tried: 'ok' } }, { ...right, fault: 'no such fault' }), 2)
  t.equal(denied({ ...right, wire: 'no such wire', fault: 'a body in pieces of one byte' }), 1)
})

t.test('every fault ends as docs/reliability.md says', { skip: !isLong && 'on every wire: npm run test:long' }, async t => {
  const lines = committed.split('\n')
  const found = (await reliabilityPage()).split('\n')
  t.ok(found.length > 50)
  t.same(
    found.filter(line => !lines.includes(line)),
    [],
    'these lines are new: run `npm run docs`, and look at what changed',
  )
  t.same(found, lines)
})
