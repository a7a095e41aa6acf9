import { readFileSync, writeFileSync } from 'node:fs'
import { plotOf } from './plot.ts'
import { figuresTable, runAll, stepsTable } from './report.ts'
import { hour } from './scenarios.ts'

// Simulates an hour of routing, and writes its figures and its plot into docs/routing.md.

const page = new URL('../../docs/routing.md', import.meta.url)
const plot = new URL('../../docs/routing.svg', import.meta.url)
const [begin, end] = ['<!-- bench/routing/run.ts writes this. -->', '<!-- the end -->']

const runs = await runAll(hour)
const byDefault = runs.find(({ name }) => name === '`performance`')!
const tables = [figuresTable(runs, hour), 'With `performance`, the default:', stepsTable(byDefault, hour)].join('\n\n')
const text = readFileSync(page, 'utf8')
const [from, to] = [text.indexOf(begin), text.indexOf(end)]
if (from < 0 || to < from) throw new Error(`docs/routing.md needs the lines "${begin}" and "${end}": the figures go between them.`)
writeFileSync(page, `${text.slice(0, from)}${begin}\n\n${tables}\n\n${text.slice(to)}`)
const shown = runs.filter(({ name }) => name === '`performance`' || name === '`cost`' || name === 'oracle for `performance`')
writeFileSync(plot, plotOf(shown, hour))
console.log(tables)
