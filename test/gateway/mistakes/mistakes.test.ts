import { readFileSync } from 'node:fs'
import t from 'tap'
import { pluginKinds } from '../../../config/scaffold/plugin-kinds.ts'
import { contributions } from './contributions.ts'
import { everyPlugin } from './every-plugin.ts'
import { errorAtStart, errorWhileRunning } from './outcome.ts'
import { services } from './services.ts'
import type { Mistake } from './stage.ts'
import { whileRunning } from './while-running.ts'

// The mistakes that people make when they write each kind of plugin, and the sentences that tell them. docs/mistakes.md has the same.

const atStart = [...everyPlugin, ...contributions, ...services]

for (const mistake of atStart)
  t.test(`${mistake.kind}: ${mistake.mistake}`, async t => t.equal(await errorAtStart(mistake), mistake.sentence))

for (const mistake of whileRunning)
  t.test(`${mistake.kind}: ${mistake.mistake}`, async t => t.equal(await errorWhileRunning(mistake), mistake.sentence))

t.test('there is one for each kind, and the page lists them all', async t => {
  const all = [...atStart, ...whileRunning]
  const kinds = new Set(all.map(({ kind }) => kind))
  for (const { name } of pluginKinds) t.ok(kinds.has(name), name)
  const page = readFileSync(new URL('../../../docs/mistakes.md', import.meta.url), 'utf8')
  const rows = page.split('\n').filter(line => /^\| (?!to write|---)/.test(line))
  t.same(rows, all.map(rowOf))
})

function rowOf({ kind, mistake, sentence }: Mistake): string {
  const fence = sentence.includes('`') ? '``' : '`'
  return `| ${kind} | ${mistake} | ${fence}${sentence.replaceAll('|', '\\|')}${fence} |`
}
