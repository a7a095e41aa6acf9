import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pack, type Packed } from './npm.ts'
import { outsideProblems } from './outside-checks.ts'
import { stage, type Stage } from './stage.ts'
import { stageCreate } from './stage-create.ts'
import { stageSdk } from './stage-sdk.ts'
import { tarballProblems, type TarballRules } from './tarball-checks.ts'

const mebibyte = 2 ** 20

/** A package that a release publishes. */
interface Package {
  readonly name: string
  readonly rules: TarballRules
  /** Fills the folder with what is published. */
  readonly stage: (stage: Stage) => void
}

/** In the order in which they are published: the last one needs the one before. */
export const packages: readonly Package[] = [
  {
    name: 'turnpike-sdk',
    rules: {
      // docs/plugins.md states the size.
      limits: { size: mebibyte / 2, unpackedSize: 1_000_000 },
      required: ['package.json', 'README.md', 'LICENSE', 'THIRD-PARTY-NOTICES.txt', 'sbom.cdx.json'],
      expected: [
        /^(package\.json|README\.md|LICENSE|THIRD-PARTY-NOTICES\.txt|sbom\.cdx\.json)$/,
        /^(core|dialects|chunks)\/.*\.(js|d\.ts)$/,
      ],
    },
    stage: stageSdk,
  },
  {
    name: 'turnpike',
    rules: {
      // docs/install.md states what an install takes.
      limits: { size: 5 * mebibyte, unpackedSize: 20 * mebibyte },
      required: ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'llms.txt', 'sbom.cdx.json', 'dist/THIRD-PARTY-NOTICES.txt'],
      expected: [
        /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|llms\.txt|sbom\.cdx\.json)$/,
        /^bin\/[\w-]+\.js$/,
        /^dist\/.*\.(js|d\.ts)$/,
        /^dist\/(THIRD-PARTY-NOTICES\.txt|plugins\/catalogs\/bundled\/models\.json|.*\/(style\.css|icon\.svg))$/,
        /^docs\/.*\.(md|svg|png|json)$/,
        /^examples\/[\w-]+\/(?:[\w.-]+\/)*(?:[\w.-]+\.(ts|js|json|md|ya?ml)|Dockerfile|\.dockerignore|\.env\.example)$/,
        /^deploy\/.*/,
        /^plugins\/[\w-]+\/[\w-]+\/.*\.ts$/,
      ],
    },
    stage,
  },
  {
    name: 'create-turnpike',
    rules: {
      limits: { size: mebibyte / 16, unpackedSize: mebibyte / 8 },
      required: ['package.json', 'README.md', 'LICENSE', 'index.js', 'sbom.cdx.json'],
      expected: [/^(package\.json|README\.md|LICENSE|index\.js|sbom\.cdx\.json)$/],
    },
    stage: stageCreate,
  },
]

export interface Tarball {
  readonly name: string
  readonly file: string
  readonly packed: Packed
  readonly problems: readonly string[]
}

/** Packs everything that a release publishes into a folder. `scratch` takes what is packed. Without `isChecked`, there are no problems. */
export async function tarballs(
  source: Omit<Stage, 'folder'>,
  { scratch, destination, isChecked }: { readonly scratch: string; readonly destination: string; readonly isChecked: boolean },
): Promise<readonly Tarball[]> {
  const made: Tarball[] = []
  for (const { name, rules, stage } of packages) {
    const folder = join(scratch, name)
    mkdirSync(folder, { recursive: true })
    stage({ ...source, folder })
    const packed = pack(folder, '--pack-destination', resolve(destination))
    const file = resolve(destination, packed.filename)
    const found = isChecked ? [...(await tarballProblems(folder, packed, source.root, rules)), ...outsideProblems(file)] : []
    made.push({ name, file, packed, problems: found.map(problem => `${name}: ${problem}`) })
  }
  return made
}
