import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ProviderFailure } from '../../../core/index.ts'
import { searching } from '../../../core/testing/searching.ts'
import webSearch from '../../../plugins/tools/web-search/index.ts'
import { ask } from '../../kit/stage.ts'
import { gateway } from '../../kit/gateway.ts'
import { sectionsOf } from '../../../plugins/engines/static/sections.ts'
import staticSearch from '../../../plugins/engines/static/index.ts'

const folder = t.testdir({
  'garden.md': [
    '# The garden',
    'What grows here.',
    '## Tomatoes & peppers',
    'They need sun. Water them in the morning.',
    '```md',
    '## Not a heading',
    '```',
    '## Roses',
    'Prune roses in spring.',
  ].join('\n'),
  notes: { 'soil mix.txt': 'Two parts of earth, one part of sand.', 'picture.png': 'roses', '.hidden.md': 'roses' },
})

t.test('finds sections, best first, with addresses that lead there', async t => {
  await using engine = await searching(staticSearch({ folder, baseUrl: 'https://garden.example.com/docs/' }))
  t.equal(engine.engine.seesContent, 'local')
  t.same(await engine.search({ query: 'When do I prune a rose?' }), [
    { url: 'https://garden.example.com/docs/garden.md#roses', title: 'The garden: Roses', text: 'Prune roses in spring.' },
  ])
  t.match(await engine.search({ query: 'watering TOMATOES' }), [
    { url: 'https://garden.example.com/docs/garden.md#tomatoes--peppers', title: 'The garden: Tomatoes & peppers' },
  ])
  t.match(await engine.search({ query: 'sand' }), [{ url: 'https://garden.example.com/docs/notes/soil%20mix.txt', title: 'soil mix' }])
  t.equal((await engine.search({ query: 'water roses and sand', maxResults: 2 })).length, 2)
  t.same(await engine.search({ query: 'What is the weather?' }), [])
})

t.test('any text is a query', async t => {
  await using engine = await searching(staticSearch({ folder }))
  const queries = [
    '',
    '   ',
    '"',
    'roses"',
    'title:roses',
    'roses NEAR(',
    '* OR ^',
    'AND',
    '\ud800',
    "'; drop table sections; --",
    '搜索',
    'a '.repeat(50_000),
  ]
  for (const query of queries) t.ok(Array.isArray(await engine.search({ query })), query.slice(0, 20))
  t.equal((await engine.search({ query: 'roses"; NOT' })).length, 1)
})

t.test('does not follow links, nor read more than it may', async t => {
  const here = t.testdir({ 'a.md': 'apple', 'b.md': 'berry', 'c.md': 'cherry', secret: {} })
  const outside = t.testdirName + '-outside.md'
  writeFileSync(outside, 'apple outside')
  t.teardown(() => rmSync(outside))
  symlinkSync(outside, join(here, 'link.md'))
  writeFileSync(join(here, 'large.md'), 'apple '.repeat(300_000))
  await using engine = await searching(staticSearch({ folder: here, maximumFiles: 2 }))
  t.match(await engine.search({ query: 'apple berry cherry' }), { length: 2 })
  await using whole = await searching(staticSearch({ folder: here }))
  t.same(
    (await whole.search({ query: 'apple' })).map(({ text }) => text),
    ['apple'],
  )
})

t.test('searches the documentation of the gateway by default', async t => {
  await using engine = await searching(staticSearch({ name: 'docs', forProviders: ['sandbox'] }))
  t.match(engine.engine, { name: 'docs', forProviders: ['sandbox'] })
  const pages = await engine.search({ query: 'how are endpoints ordered by sort?', maxResults: 3 })
  t.equal(pages.length, 3)
  for (const { url } of pages) t.match(url, /^https:\/\/docs\.example\.com\/[\w/-]+\.md/)
})

t.test('a folder that is missing', async t => {
  await t.rejects(searching(staticSearch({ folder: join(folder, 'nowhere') })), /static-search\(static\).*nowhere does not exist/)
  const gone = t.testdir({ pages: { 'a.md': 'apple' } })
  await using engine = await searching(staticSearch({ folder: join(gone, 'pages') }))
  rmSync(join(gone, 'pages'), { recursive: true })
  const failure = await engine.search({ query: 'apple' }).catch((error: unknown) => error)
  t.ok(ProviderFailure.is(failure) && failure.kind === 'unavailable', 'is a failure of the engine')
  mkdirSync(join(gone, 'pages'))
  writeFileSync(join(gone, 'pages/a.md'), 'apple')
  t.equal((await engine.search({ query: 'apple' })).length, 1, 'and is tried again')
  await t.rejects(engine.search({}, AbortSignal.abort(new Error('gone'))), /gone/)
})

t.test('splits documents at headings', async t => {
  const parts = (text: string): unknown => sectionsOf('a/page.md', text).map(({ title, anchor, text }) => [title, anchor, text])
  t.same(parts(''), [])
  t.same(parts('just text'), [['page', '', 'just text']])
  t.same(parts('\uFEFF# One\r\ntext\r\n## Two ##\r\nmore'), [
    ['One', '', 'text'],
    ['One: Two', 'two', 'more'],
  ])
  t.same(parts('intro\n# One\ntext'), [
    ['page', '', 'intro'],
    ['page: One', 'one', 'text'],
  ])
  t.same(parts('# A\n~~~\n# no\n```\n# no\n~~~\n# B\nb'), [
    ['A', '', '~~~\n# no\n```\n# no\n~~~'],
    ['A: B', 'b', 'b'],
  ])
})

t.test('the sandbox finds the documentation', async t => {
  const under = await gateway({ plugins: [staticSearch({ name: 'docs', forProviders: ['sandbox'] }), webSearch({})] })
  t.teardown(() => under.stop())
  const { response } = await ask(under, {
    model: 'sandbox/tools',
    input: 'How are endpoints ordered?',
    tools: [{ type: 'web_search' }],
    include: ['web_search_call.results'],
  })
  t.match(response, { status: 'completed', usage: { tool_calls: { managed_web_search: 1 } } })
  t.match(response.output[0], { type: 'web_search_call', status: 'completed' })
})
