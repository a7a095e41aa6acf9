import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { isLong } from '../kit/long.ts'

// The package as people get it, in an empty folder. `.ci/run` does a part of this, too.

const root = fileURLToPath(new URL('../..', import.meta.url))
const skip = isLong ? false : 'takes long: npm run test:long -- Package'
const folder = mkdtempSync(join(tmpdir(), 'turnpike-packed-'))
const site = join(folder, 'site')
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

function run(command: string, ...args: readonly string[]): { readonly code: number | null; readonly text: string } {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: site, encoding: 'utf8' })
  return { code: status, text: `${stdout}${stderr}` }
}

function packedAs(name: string): string {
  return join(folder, globSync(`${name}-[0-9]*.tgz`, { cwd: folder })[0]!)
}

t.test('the tarball passes every check, and installs', { skip, timeout: 600_000 }, async t => {
  const program = ['scripts/pack.ts', '--check', '--pack-destination', folder]
  const packing = spawnSync(process.execPath, program, { cwd: root, encoding: 'utf8' })
  t.equal(packing.status, 0, packing.stderr)
  mkdirSync(site)
  writeFileSync(join(site, 'package.json'), '{"name": "acme", "private": true, "type": "module"}')
  execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', packedAs('turnpike')], {
    cwd: site,
    stdio: 'pipe',
  })
  t.match(run('npx', 'turnpike', '--version'), { code: 0, text: /^\d+\.\d+\.\d+\n$/ })
})

t.test('each bill of materials is valid CycloneDX', { skip, timeout: 300_000 }, async t => {
  const checker = join(folder, 'checker')
  mkdirSync(checker)
  writeFileSync(join(checker, 'package.json'), '{"private": true, "type": "module"}')
  const wanted = ['@cyclonedx/cyclonedx-library@10.3.0', 'ajv@8.20.0', 'ajv-formats@3.0.1', 'ajv-formats-draft2019@1.6.1']
  // One of its optional packages compiles, for XML.
  const flags = ['--silent', '--no-audit', '--no-fund', '--ignore-scripts', '--omit=optional']
  execFileSync('npm', ['install', ...flags, ...wanted], { cwd: checker, stdio: 'pipe' })
  writeFileSync(
    join(checker, 'check.js'),
    `import { text } from 'node:stream/consumers'
     import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
     console.log(JSON.stringify(await new Validation.JsonStrictValidator(Spec.Version.v1dot5).validate(await text(process.stdin))))`,
  )
  const said = (bill: string): string =>
    execFileSync(process.execPath, ['check.js'], { cwd: checker, input: bill, encoding: 'utf8' }).trim()
  for (const name of ['turnpike', 'turnpike-sdk', 'create-turnpike'])
    t.equal(said(execFileSync('tar', ['xzOf', packedAs(name), 'package/sbom.cdx.json'], { encoding: 'utf8' })), 'null', name)
  t.match(said('{"bomFormat": "CycloneDX", "specVersion": "1.5", "components": [{}]}'), /required/, 'and it finds what is wrong')
})

t.test('the plugins in the package compile where somebody copies them', { skip, timeout: 300_000 }, async t => {
  const own = join(site, 'node_modules/turnpike/plugins')
  cpSync(own, join(site, 'plugins'), { recursive: true, filter: path => !path.includes(`dashboard${sep}`) })
  const files = globSync('plugins/*/*/index.ts', { cwd: site })
  t.ok(files.length > 15, `${files.length} plugins`)
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly devDependencies: Record<string, string> }
  const used = new Set(files.flatMap(file => packagesOf(join(site, file, '..'))))
  const wanted = ['typescript', '@types/node', ...used].map(name => `${name}@${manifest.devDependencies[name]}`)
  execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', ...wanted], { cwd: site, stdio: 'pipe' })
  writeFileSync(
    join(site, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        target: 'es2024',
        lib: ['es2024', 'esnext.disposable'],
        module: 'nodenext',
        types: [],
        strict: true,
        noEmit: true,
        skipLibCheck: false,
        allowImportingTsExtensions: true,
        noUncheckedIndexedAccess: true,
        exactOptionalPropertyTypes: true,
      },
      files,
    }),
  )
  t.match(run('npx', 'tsc', '--project', '.'), { code: 0, text: /^$/ })
})

/** Packages other than turnpike and Node's own. */
function packagesOf(folder: string): readonly string[] {
  return globSync('**/*.ts', { cwd: folder }).flatMap(file =>
    Array.from(readFileSync(join(folder, file), 'utf8').matchAll(/from '((?:@[\w-]+\/)?[a-z][\w.-]*)[^']*'/g), ([, name]) => name!).filter(
      name => name !== 'turnpike' && name !== 'node',
    ),
  )
}
