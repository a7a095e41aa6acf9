import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm } from './npm.ts'

/** The parts of CycloneDX that are read here. */
export interface Bill {
  readonly serialNumber?: string
  readonly metadata: {
    readonly timestamp?: string
    readonly component: Component
    readonly [member: string]: unknown
  }
  readonly components: readonly Component[]
  readonly dependencies: readonly Dependency[]
}

interface Dependency {
  readonly ref: string
  readonly dependsOn: readonly string[]
}

export interface Component {
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
  readonly [member: string]: unknown
}

/** The package of a bill. */
export interface Billed {
  readonly name: string
  readonly version: string
  readonly description?: string
  readonly dependencies: Readonly<Record<string, string>>
}

/**
 * The software that a package consists of, in CycloneDX: what npm installs with it, and what is bundled in it according to its notices.
 * npm writes it from package-lock.json. Without times and random numbers, so that two builds of a commit are equal.
 */
export function billOfMaterials(root: string, billed: Billed, notices: string): Bill {
  const whole = JSON.parse(npm(root, 'sbom', '--sbom-format', 'cyclonedx', '--package-lock-only')) as Bill
  const bundled = bundledPackages(notices)
  const isBundled = ({ name, version }: Component): boolean => bundled.has(`${name}@${version}`)
  const edges = edgesOf(root, whole)
  const wanted = Object.keys(billed.dependencies)
  const direct = (edges.get(whole.metadata.component['bom-ref']) ?? []).filter(ref => wanted.includes(nameIn(ref)))
  const used = new Set(direct)
  for (const ref of used) for (const next of edges.get(ref) ?? []) used.add(next)
  const components = whole.components.filter(each => isBundled(each) || used.has(each['bom-ref']))
  for (const each of bundled)
    if (!components.some(component => `${component.name}@${component.version}` === each))
      throw new Error(`${billed.name} contains code of ${each}, which package-lock.json does not have: run npm ci and npm run build.`)
  const refs = new Set(components.map(each => each['bom-ref']))
  const { serialNumber: _serialNumber, metadata, ...rest } = whole
  const { timestamp: _timestamp, ...known } = metadata
  const component = ownComponent(metadata.component, billed)
  return {
    ...rest,
    metadata: { ...known, component },
    components: components.map(each => ({
      ...each,
      scope: 'required',
      properties: [{ name: 'turnpike:bundled', value: String(isBundled(each)) }],
    })),
    dependencies: [
      {
        ref: component['bom-ref'],
        dependsOn: components.map(each => each['bom-ref']).filter(ref => direct.includes(ref) || !used.has(ref)),
      },
      ...components.map(each => ({
        ref: each['bom-ref'],
        dependsOn: (edges.get(each['bom-ref']) ?? []).filter(next => refs.has(next)),
      })),
    ],
  }
}

/** The bill of a package that has no code but its own, and installs the package of another bill. */
export function billOfDependent({ metadata, components, ...rest }: Bill, billed: Billed): Bill {
  const { component } = metadata
  const own = ownComponent(component, billed)
  return {
    ...rest,
    metadata: { ...metadata, component: own },
    components: [{ ...component, scope: 'required' }, ...components],
    dependencies: [{ ref: own['bom-ref'], dependsOn: [component['bom-ref']] }, ...rest.dependencies],
  }
}

/** `name@version` of each heading of the notices: `## undici 8.12.4 (MIT)`. */
export function bundledPackages(notices: string): ReadonlySet<string> {
  return new Set(Array.from(notices.matchAll(/^## (\S+) (\d\S*) \(.*\)$/gm), ([, name, version]) => `${name}@${version}`))
}

/** npm calls the package like its folder. */
function ownComponent(component: Component, { name, version, description }: Billed): Component {
  const id = `${name}@${version}`
  return { ...component, name, version, ...(description !== undefined && { description }), 'bom-ref': id, purl: `pkg:npm/${id}` }
}

/** What npm installs with each package. npm also names optional peers, if they are there. */
function edgesOf(root: string, { dependencies }: Bill): ReadonlyMap<string, readonly string[]> {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
  const locked = new Map<string, ReadonlySet<string>>()
  for (const [path, { version, dependencies, devDependencies }] of Object.entries(packages)) {
    const id = `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`
    locked.set(path === '' ? '' : id, new Set(Object.keys({ ...dependencies, ...devDependencies })))
  }
  return new Map(
    dependencies.map(({ ref, dependsOn }) => {
      const wanted = locked.get(ref) ?? locked.get('')!
      return [ref, dependsOn.filter(next => wanted.has(nameIn(next)))]
    }),
  )
}

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly version: string } & Readonly<Partial<Record<'dependencies' | 'devDependencies', object>>>>
  >
}

function nameIn(ref: string): string {
  return ref.replace(/(?<=.)@[^@]*$/, '')
}
