import { globSync, readFileSync } from 'node:fs'
import t from 'tap'
import { contracts } from '../../core/framework/contract-versions.ts'
import { check } from '../../core/framework/checked-plugins.ts'
import { definePlugin, type PluginUse } from '../../core/index.ts'

// docs/versions.md says what a plugin for another version is told. The warnings are tested in test/core/framework/contract-versions.test.ts,
// the rules for releases in test/scripts/release.test.ts.

const page = readFileSync(new URL('../../docs/versions.md', import.meta.url), 'utf8')
const options = { type: 'object', additionalProperties: false, properties: {} } as const

function said(use: PluginUse): string {
  try {
    check([use])
    return 'nothing'
  } catch (error) {
    return (error as Error).message
  }
}

t.test('the page quotes what the gateway says', async t => {
  const rows = [...page.matchAll(/^\| `(\{ .* \})` \| (?:(nothing)|(`+)(.*)\3) \|$/gm)]
  t.ok(rows.length >= 6)
  for (const [, stated = '', nothing, , message] of rows) {
    const asJson = JSON.parse(stated.replaceAll(/(\w+):/g, '"$1":')) as Record<string, number>
    t.equal(said(definePlugin({ name: 'acme', contracts: asJson, options, setup() {} })({})), nothing ?? message, stated)
  }
  t.equal(said(definePlugin({ name: 'acme', options, setup() {} })({})), 'nothing', 'a plugin that states no versions')
})

t.test('a plugin of another plugin API is told so', async t => {
  const use = { ...definePlugin({ name: 'acme', options, setup() {} })({}), apiVersion: 2 } as unknown as PluginUse
  t.ok(page.includes(`\`${said(use)}\``), said(use))
})

t.test('the example states versions that this gateway takes', async t => {
  const [, stated = ''] = /contracts: \{ (.*) \},/.exec(page)!
  for (const part of stated.split(', ')) {
    const [name, version] = part.split(': ')
    t.match(
      contracts.find(contract => contract.name === name),
      { version: Number(version), stability: 'stable' },
      part,
    )
  }
})

t.test('the examples have the keywords of the page', async t => {
  const keywords = Array.from(page.matchAll(/^\| `(turnpike-[\w-]+)` \|/gm), ([, keyword]) => keyword!)
  t.ok(keywords.length >= 10)
  const root = new URL('../../', import.meta.url)
  const manifests = globSync('examples/*/package.json', { cwd: root }).filter(file => !/minimal|gateway/.test(file))
  for (const file of manifests) {
    const { keywords: own } = JSON.parse(readFileSync(new URL(file, root), 'utf8')) as { readonly keywords: readonly string[] }
    t.ok(own.includes('turnpike-plugin'), file)
    const kinds = own.filter(keyword => keyword !== 'turnpike-plugin')
    t.ok(kinds.length > 0 && kinds.every(kind => keywords.includes(kind)), `${file}: ${kinds.join(', ')}`)
  }
})
