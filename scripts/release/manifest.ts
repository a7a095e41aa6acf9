import { addressMembers } from './addresses.ts'

export type Manifest = Readonly<Record<string, unknown>> & {
  readonly name: string
  readonly version: string
  readonly exports: Exports
}
export type Exports = Readonly<Record<string, string | Readonly<Record<string, string>>>>

/** Only people who work on the gateway need these. */
const ofTheRepository = ['scripts', 'devDependencies', 'tap', 'allowScripts']

/** The package.json that is published: without what only the repository has, and with the project's addresses. */
export function packedManifest(manifest: Manifest, home: string): Manifest {
  const { exports, ...others } = manifest
  const kept = Object.entries(others).filter(([name]) => !ofTheRepository.includes(name))
  return { ...Object.fromEntries(kept), ...addressMembers(home), exports: withoutSources(exports) } as Manifest
}

function withoutSources(exports: Exports): Exports {
  const published = Object.entries(exports).map(([name, target]) => {
    if (typeof target === 'string') return [name, target] as const
    return [name, Object.fromEntries(Object.entries(target).filter(([condition]) => condition !== 'turnpike-source'))] as const
  })
  return Object.fromEntries(published)
}
