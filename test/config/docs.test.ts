import { readFileSync } from 'node:fs'
import t from 'tap'
import { configurationPage } from '../../scripts/configuration-page.ts'
import { providersPage } from '../../scripts/providers-page.ts'

t.test('the generated pages tell the code as it is', async t => {
  const committed = (page: string): string => readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8')
  t.equal(committed('configuration.md'), await configurationPage(), 'run `npm run docs`')
  t.equal(committed('providers.md'), providersPage(), 'run `npm run docs`')
})

t.test('every option is explained', async t => {
  for (const line of (await configurationPage()).split('\n')) {
    // Members of an option are explained with it.
    if (/^\| `\w+` /.test(line)) t.notMatch(line, /\| {2}\|$/, line)
  }
})
