import { readFileSync } from 'node:fs'
import t from 'tap'
import { configurationPage } from '../../scripts/configuration-page.ts'

t.test('docs/configuration.md tells the options as they are', async t => {
  const committed = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8')
  t.equal(committed, await configurationPage(), 'run `npm run docs`')
})

t.test('every option is explained', async t => {
  for (const line of (await configurationPage()).split('\n')) {
    // Members of an option are explained with it.
    if (/^\| `\w+` /.test(line)) t.notMatch(line, /\| {2}\|$/, line)
  }
})
