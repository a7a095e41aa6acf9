import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import type { Contract } from '../../core/foundation/token.ts'
import { addressProblem, repository } from '../../scripts/release/addresses.ts'
import { kindsOfChange, notesOf, released, sectionsOf } from '../../scripts/release/changelog.ts'
import { contractProblems } from '../../scripts/release/contract-rules.ts'
import { pack } from '../../scripts/release/npm.ts'
import { packedPage } from '../../scripts/release/pages.ts'
import { planRelease } from '../../scripts/release/plan.ts'
import { publishingProblems } from '../../scripts/release/publishing.ts'
import { billOfDependent, billOfMaterials, bundledPackages, type Bill } from '../../scripts/release/sbom.ts'
import { tarballProblems } from '../../scripts/release/tarball-checks.ts'
import { ranges, statements, stepBetween } from '../../scripts/release/versions.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const home = 'https://github.com/acme/turnpike'
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')
const changelog = `# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n`

t.test('the changelog has the form of Keep a Changelog', async t => {
  const [first, ...others] = sectionsOf(textOf('CHANGELOG.md'))
  t.equal(first!.name, 'Unreleased')
  for (const { name, date } of others) t.match(`${name} ${date}`, /^\d+\.\d+\.\d+\S* \d{4}-\d\d-\d\d$/)
  for (const [, kind] of textOf('CHANGELOG.md').matchAll(/^### (.+)$/gm)) t.ok((kindsOfChange as readonly string[]).includes(kind!), kind!)
  t.throws(() => sectionsOf('## 0.2.0\n'), { message: /^Expected a heading such as .* but got '## 0\.2\.0'/ })
})

t.test('a release moves what is unreleased below its version', async t => {
  const first = released(changelog, '0.1.0', '2026-12-01', home)
  t.equal(notesOf(first, '0.1.0'), '### Added\n\n- A thing.')
  t.match(first, `## [Unreleased]\n\n## [0.1.0] - 2026-12-01\n\n### Added`)
  t.match(first, `[Unreleased]: ${home}/compare/v0.1.0...HEAD\n[0.1.0]: ${home}/releases/tag/v0.1.0\n`)
  const second = released(first.replace('## [Unreleased]\n', '## [Unreleased]\n\n### Fixed\n\n- A bug.\n'), '0.1.1', '2026-12-02', home)
  t.same(
    sectionsOf(second).map(({ name, text }) => [name, text]),
    [
      ['Unreleased', ''],
      ['0.1.1', '### Fixed\n\n- A bug.'],
      ['0.1.0', '### Added\n\n- A thing.'],
    ],
  )
  t.match(second, `[0.1.1]: ${home}/compare/v0.1.0...v0.1.1\n[0.1.0]: ${home}/releases/tag/v0.1.0\n`)
  t.throws(() => notesOf(second, '0.2.0'), { message: /^CHANGELOG\.md says nothing about 0\.2\.0/ })
  t.throws(() => released(first.replace('## [Unreleased]\n', '## [Unreleased]\n\n- x\n'), '0.1.0', '2026-12-02', home), {
    message: /already has 0\.1\.0/,
  })
})

t.test('steps between versions', async t => {
  for (const [from, to, step] of [
    ['0.1.0', '0.1.1', 'patch'],
    ['0.1.9', '0.2.0', 'minor'],
    ['0.9.0', '1.0.0', 'major'],
    ['1.0.0-rc.1', '1.0.0', 'patch'],
    ['1.0.0', '1.0.0', undefined],
    ['1.0.0', '1.0.0-rc.1', undefined],
    ['1.2.0', '1.1.9', undefined],
    ['1.2.0', '2', undefined],
  ] as const)
    t.equal(stepBetween(from, to), step, `${from} to ${to}`)
})

t.test('a release keeps what docs/versions.md promises for contracts', async t => {
  const contract = (version: number, others: Partial<Contract> = {}): Contract => ({
    name: 'Shelves',
    version,
    stability: 'stable',
    ...others,
  })
  const problems = (before: Contract, now: Contract | undefined, step: 'major' | 'minor' | 'patch', from = '1.0.0'): readonly string[] =>
    contractProblems([before], now ? [now] : [], from, step)
  t.same(problems(contract(1), contract(1), 'patch'), [])
  t.same(problems(contract(1), contract(2, { oldest: 1 }), 'minor'), [], 'the next version, and the one before still loads')
  t.match(problems(contract(1), contract(2, { oldest: 1 }), 'patch'), [/has version 2: expected version 1 in a patch version/])
  t.match(problems(contract(1), contract(2), 'major'), [/version 1 of the release before do not load.*oldest: 1/])
  t.same(problems(contract(2, { oldest: 1 }), contract(2), 'major'), [], 'a release later, the old one may go')
  t.match(problems(contract(2, { oldest: 1 }), contract(2), 'minor'), [/version 1 of the contract Shelves no longer load/])
  t.same(problems(contract(2, { oldest: 1 }), contract(2), 'minor', '0.4.0'), [], 'before 1.0.0, a minor version may')
  t.match(problems(contract(1), undefined, 'minor'), [/the stable contract Shelves is gone/])
  t.same(problems(contract(1), undefined, 'major'), [])
  t.match(problems(contract(1), contract(1, { stability: 'experimental' }), 'minor'), [/was stable and is experimental/])
  t.match(problems(contract(2), contract(1), 'major'), [/went back from version 2 to 1/])
  t.same(problems(contract(1, { stability: 'experimental' }), undefined, 'patch'), [], 'experimental ones may change')
})

t.test('a release stops as long as the repository has no address', async t => {
  t.match(addressProblem(''), /not known.*Set `repository` in scripts\/release\/addresses\.ts/)
  t.match(addressProblem('github.com/acme/turnpike'), /^Expected the address of the repository/)
  t.match(addressProblem(`${home}.git`), /^Expected the address of the repository/)
  t.equal(addressProblem(home), undefined)
  const { problems } = planRelease({ root, version: '0.1.0', home: '', date: '2026-12-01' })
  t.same(problems, [addressProblem('')])
  if (repository !== '') t.equal(addressProblem(repository), undefined)
})

t.test('the plan of a release states its version everywhere', async t => {
  const folder = copyOf(t.testdir())
  const report = 'test/fixtures/api/kit.api.md'
  mkdirSync(join(folder, dirname(report)), { recursive: true })
  writeFileSync(join(folder, report), '```ts\n// Plan, since 0.1.0\n// Plan.goal, since unreleased\n```\n')
  const { changed, notes, problems } = planRelease({ root: folder, version: '0.2.0', home, date: '2026-12-01' })
  t.same(problems, [])
  t.match(notes, /^The first version\.\n\n### Added\n/)
  for (const { file } of statements) t.match(changed.get(file), '0.2.0', file)
  t.match(changed.get('examples/custom-provider/package.json'), '"turnpike": "^0.2.0"')
  t.match(changed.get('examples/custom-provider/package.json'), '"version": "0.1.0"', 'an example keeps its own version')
  t.match(changed.get('CHANGELOG.md'), '## [0.2.0] - 2026-12-01')
  t.equal(changed.get(report), '```ts\n// Plan, since 0.1.0\n// Plan.goal, since 0.2.0\n```\n', 'a member that waited for this version')
  for (const [path, text] of changed) writeFileSync(join(folder, path), text)
  t.match(planRelease({ root: folder, version: '0.2.0', home, date: '2026-12-02' }).problems, [/^Expected a version above 0\.2\.0/])
  t.match(planRelease({ root: folder, version: '0.2.1', home, date: '2026-12-02' }).problems, [/says nothing about 0\.2\.1/])
})

function copyOf(folder: string): string {
  const examples = globSync(ranges.file, { cwd: root })
  for (const file of ['CHANGELOG.md', 'scripts/release/contracts.json', ...statements.map(({ file }) => file), ...examples]) {
    mkdirSync(join(folder, dirname(file)), { recursive: true })
    cpSync(join(root, file), join(folder, file))
  }
  return folder
}

t.test('nothing is published outside of CI, or without a tag', async t => {
  const problems = publishingProblems(root, '0.0.0', '', {})
  t.match(problems[0], /address of the repository is not known/)
  t.match(problems[1], /does not have the tag v0\.0\.0/)
  t.match(problems[2], /npm can prove where a package was built only in CI/)
})

t.test('the bill of materials lists what is bundled and what is installed', async t => {
  const { dependencies } = JSON.parse(textOf('package.json')) as { readonly dependencies: Readonly<Record<string, string>> }
  const lock = JSON.parse(textOf('package-lock.json')) as { readonly packages: Readonly<Record<string, { readonly version: string }>> }
  const undici = `undici@${lock.packages['node_modules/undici']!.version}`
  const notices = `dist/ contains code of these packages.\n\n## ${undici.replace('@', ' ')} (MIT)\n\nMIT License\n`
  t.same([...bundledPackages(notices)], [undici])
  const own = { name: 'turnpike', version: '0.2.0', dependencies }
  const bill = billOfMaterials(root, own, notices)
  const names = bill.components.map(({ name, version }) => `${name}@${version}`)
  for (const [name, version] of Object.entries(dependencies)) t.ok(names.includes(`${name}@${version}`), name)
  t.ok(names.includes(undici))
  for (const name of ['tap', 'typescript', 'pg', 'openai', '@types/node'])
    t.notOk(
      names.some(each => each.startsWith(`${name}@`)),
      name,
    )
  t.equal(new Set(names).size, names.length)
  t.match(bill, { bomFormat: 'CycloneDX', metadata: { component: { name: 'turnpike', version: '0.2.0', purl: 'pkg:npm/turnpike@0.2.0' } } })
  t.ok(bill.components.every(({ purl, licenses }) => String(purl).startsWith('pkg:npm/') && (licenses as object[]).length > 0))
  const refs = new Set(['turnpike@0.2.0', ...bill.components.map(each => each['bom-ref'])])
  for (const { ref, dependsOn } of bill.dependencies)
    t.ok(
      [ref, ...dependsOn].every(each => refs.has(each)),
      ref,
    )
  t.notMatch(JSON.stringify(bill), /timestamp|serialNumber/, 'two builds of a commit are equal')
  t.throws(() => billOfMaterials(root, own, '## acme 1.0.0 (MIT)\n'), { message: /turnpike contains code of acme@1\.0\.0/ })
})

t.test('each package has a bill of its own', async t => {
  const refsOf = ({ components }: Bill): readonly string[] => components.map(each => each['bom-ref'].replace(/(?<=.)@[^@]*$/, ''))
  const sdk = billOfMaterials(root, { name: 'turnpike-sdk', version: '0.2.0', dependencies: { ajv: '8' } }, '')
  t.same(refsOf(sdk), ['ajv', 'fast-deep-equal', 'fast-uri', 'json-schema-traverse', 'require-from-string'])
  t.same(sdk.dependencies[0], { ref: 'turnpike-sdk@0.2.0', dependsOn: [sdk.components[0]!['bom-ref']] })
  const create = { name: 'create-turnpike', version: '0.2.0', description: 'Makes a gateway.', dependencies: { 'turnpike-sdk': '0.2.0' } }
  const bill = billOfDependent(sdk, create)
  t.match(bill.metadata.component, { name: 'create-turnpike', description: 'Makes a gateway.', purl: 'pkg:npm/create-turnpike@0.2.0' })
  t.same(refsOf(bill), ['turnpike-sdk', ...refsOf(sdk)])
  t.same(bill.dependencies[0], { ref: 'create-turnpike@0.2.0', dependsOn: ['turnpike-sdk@0.2.0'] })
})

t.test('a tarball with something missing, superfluous or secret is refused', async t => {
  const key = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_')
  const folder = t.testdir({
    'package.json': JSON.stringify({
      name: 'turnpike',
      version: '0.1.0',
      files: ['**'],
      bin: { turnpike: './bin/turnpike.js' },
      exports: { '.': { types: './dist/core/index.d.ts', default: './dist/core/index.js' }, './plugins/*': './dist/plugins/*/index.js' },
    }),
    'README.md': `Made in ${root}\n`,
    LICENSE: '',
    bin: { 'turnpike.js': '' },
    core: { 'index.ts': '' },
    dist: { core: { 'index.js': '' } },
    docs: { 'a.md': `The key ${key}\n`, 'b.md': `The key ${key} of example.com\n` },
    test: { 'a.test.ts': '' },
  })
  const problems = await tarballProblems(folder, pack(folder, '--dry-run'), root, {
    limits: { size: 2 ** 20, unpackedSize: 100 },
    required: ['README.md', 'CHANGELOG.md', 'sbom.cdx.json'],
    expected: [/^(package\.json|README\.md|LICENSE)$/, /^(bin|dist|docs)\//],
  })
  for (const expected of [
    /^CHANGELOG\.md is missing/,
    /^sbom\.cdx\.json is missing/,
    /^dist\/core\/index\.d\.ts is missing/,
    /^dist\/plugins\/\*\/index\.js is missing/,
    /^its unpackedSize is \d+ bytes: expected at most 100/,
    /^core\/index\.ts does not belong in it/,
    /^test\/a\.test\.ts does not belong in it/,
    /^docs\/a\.md:1 may hold a secret: ghp_…$/,
    /^README\.md names .* a folder of the machine that built it/,
  ])
    t.ok(
      problems.some(problem => expected.test(problem)),
      String(expected),
    )
  t.notMatch(problems.join('\n'), key, 'and is not printed')
})

t.test('a page in the package is without what only the repository has', async t => {
  const page = [
    '<!-- Generated by `npm run docs`. -->',
    '# Page',
    'It is measured.<!-- repository --> Run `bench/run.ts`.<!-- /repository -->',
    '<!-- repository -->\n\n```bash\nnode bench/run.ts\n```\n\n<!-- /repository -->',
    '```html\n<!-- stays -->\n```',
    '- [Design](architecture.md): how it works\n- [Use](upgrades.md): how to use it',
    'See [the design](architecture.md#the-tree) and [use](upgrades.md).',
  ].join('\n\n')
  const pages = { home: '', version: '0.1.0', isShipped: (path: string) => path === 'docs/upgrades.md' }
  t.equal(
    packedPage('docs/install.md', page, pages),
    [
      '# Page',
      'It is measured.',
      '```html\n<!-- stays -->\n```',
      '- [Use](upgrades.md): how to use it',
      'See the design and [use](upgrades.md).',
    ].join('\n\n'),
  )
  const known = packedPage('docs/install.md', page, { ...pages, home })
  t.match(known, `- [Design](${home}/blob/v0.1.0/docs/architecture.md): how it works`)
  t.match(known, `[the design](${home}/blob/v0.1.0/docs/architecture.md#the-tree) and [use](upgrades.md)`)
})
