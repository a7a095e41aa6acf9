// Makes a release. It changes and publishes nothing unless told to:
//
//   npm run release -- 0.2.0            # shows the notes and the tarballs, and everything that is wrong with them
//   npm run release -- 0.2.0 --commit   # writes the version and the changelog, commits, and tags v0.2.0
//   npm run release -- --publish        # at that tag, in CI: packs, checks and publishes to npm, with provenance

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { repository } from './release/addresses.ts'
import { build } from './release/build.ts'
import { git, stateProblems } from './release/git.ts'
import { npm } from './release/npm.ts'
import { tarballs, type Tarball } from './release/packages.ts'
import { planRelease, type ReleasePlan } from './release/plan.ts'
import { isPublished, publishingProblems } from './release/publishing.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'turnpike-release-'))
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }))

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { commit: { type: 'boolean', default: false }, publish: { type: 'boolean', default: false } },
})
const [version] = positionals
if (values.publish) await publish()
else if (version === undefined) throw new Error('Expected the version to release, such as: npm run release -- 0.2.0')
else await prepare(version)

async function prepare(version: string): Promise<void> {
  const plan = planRelease({ root, version, home: repository, date: new Date().toISOString().slice(0, 10) })
  const early = [...plan.problems, ...(values.commit ? stateProblems(root) : [])]
  if (values.commit) stopAt(early)
  console.log(`## ${version}\n\n${plan.notes}\n`)
  const { problems } = await pack(plan)
  stopAt([...early, ...problems])
  if (!values.commit) return console.log(`\nNothing is changed. To go on: npm run release -- ${version} --commit`)
  for (const [path, text] of plan.changed) writeFileSync(join(root, path), text)
  git(root, 'commit', '--all', '--message', `release: publish version ${version}`)
  git(root, 'tag', '--annotate', `v${version}`, '--message', `Turnpike ${version}\n\n${plan.notes}`, '--cleanup=verbatim')
  console.log(`\nCommitted and tagged v${version}. Push both, and run in CI at that tag: npm run release -- --publish`)
}

async function publish(): Promise<void> {
  const { version } = createRequire(import.meta.url)('../package.json') as { readonly version: string }
  stopAt([...publishingProblems(root, version, repository), ...stateProblems(root)])
  const { made, problems } = await pack()
  stopAt(problems)
  for (const { name, file } of made)
    if (isPublished(root, name, version)) console.log(`npm already has ${name} ${version}`)
    else console.log(npm(root, 'publish', file, '--provenance', '--access', 'public'))
}

/** Builds, packs and checks the packages, as they are or as the release would have them. */
async function pack(plan?: ReleasePlan): Promise<{ readonly made: readonly Tarball[]; readonly problems: readonly string[] }> {
  build(root)
  const source = { root, home: repository, ...(plan && { changed: plan.changed }) }
  const made = await tarballs(source, { scratch, destination: scratch, isChecked: true })
  const kilobytes = (bytes: number): string => `${Math.round(bytes / 1024).toLocaleString('en-US')} KB`
  for (const { packed } of made)
    console.log(`${packed.filename}: ${packed.files.length} files, ${kilobytes(packed.size)}, unpacked ${kilobytes(packed.unpackedSize)}`)
  return { made, problems: made.flatMap(({ problems }) => problems) }
}

function stopAt(problems: readonly string[]): void {
  if (problems.length === 0) return
  console.error(`\nNo release:\n\n${problems.map(problem => `- ${problem}`).join('\n')}`)
  process.exit(1)
}
