import { globSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { clients } from '../../scripts/clients/client.ts'
import { Table } from '../../scripts/clients/table.ts'

const folder = fileURLToPath(new URL('../../scripts/clients', import.meta.url))
const manifests = globSync('*/*/{package.json,requirements.txt,go.mod,pom.xml,Cargo.toml}', { cwd: folder })

t.test('every client has a manifest that pins versions, and is run', async t => {
  t.same([...new Set(clients.map(({ language, folder }) => `${language}/${folder}`))].toSorted(), manifests.map(dirname).toSorted())
  t.equal(new Set(clients.map(({ name }) => name)).size, clients.length, 'each has a name of its own')
  for (const manifest of manifests) {
    const text = readFileSync(`${folder}/${manifest}`, 'utf8')
    if (basename(manifest) === 'package.json')
      t.ok(
        Object.values((JSON.parse(text) as { dependencies: Record<string, string> }).dependencies).every(version => /^\d/.test(version)),
        manifest,
      )
    else if (basename(manifest) === 'requirements.txt') t.match(text, /^(\S+==\S+\n)+$/, manifest)
    else if (basename(manifest) === 'Cargo.toml') t.notMatch(text.slice(text.indexOf('[dependencies]')), /"\d/, manifest)
  }
})

t.test('the table names the vendors with which a check failed', async t => {
  const table = new Table()
  table.add('a', 'one', [{ check: 'text' }, { check: 'stream', failure: 'Silence.' }, { check: 'tools', absent: 'It has none.' }])
  table.add('a', 'two', [{ check: 'text' }, { check: 'stream' }])
  table.add('b', 'one', [{ check: 'text', failure: 'Not this.' }])
  const [head, a, b] = table.text().split('\n')
  t.match(head, /^client +text +stream +tools +structured/)
  t.match(a, /^a +ok +FAILED one +– +–/)
  t.match(b, /^b +FAILED +–/)
  t.same([table.passed, table.failed], [3, 2])
})
