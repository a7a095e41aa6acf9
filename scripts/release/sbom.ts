import { npm } from './npm.ts'

/** The parts of CycloneDX that are read here. */
interface Bill {
  readonly serialNumber?: string
  readonly metadata: {
    readonly timestamp?: string
    readonly component: Component
    readonly [member: string]: unknown
  }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

/** npm calls the package like its folder. */
interface Named {
  readonly name: string
  readonly version: string
}

interface Component {
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
  readonly scope?: string
  readonly properties?: readonly { readonly name: string; readonly value: string }[]
  readonly [member: string]: unknown
}

/**
 * The software that the package consists of, in CycloneDX: what npm installs with it, and what is bundled in dist/ according to the
 * notices there. npm writes it from package-lock.json. Without times and random numbers, so that two builds of a commit are equal.
 */
export function billOfMaterials(root: string, { name, version }: Named, notices: string): object {
  const whole = JSON.parse(npm(root, 'sbom', '--sbom-format', 'cyclonedx', '--package-lock-only')) as Bill
  const bundled = bundledPackages(notices)
  const components = whole.components.filter(each => bundled.has(`${each.name}@${each.version}`) || isInstalled(each))
  for (const each of bundled)
    if (!components.some(component => `${component.name}@${component.version}` === each))
      throw new Error(`dist/ contains code of ${each}, which package-lock.json does not have: run npm ci and npm run build.`)
  const own = whole.metadata.component
  const id = `${name}@${version}`
  const refs = new Set([own['bom-ref'], ...components.map(each => each['bom-ref'])])
  const renamed = (ref: string): string => (ref === own['bom-ref'] ? id : ref)
  const { serialNumber: _serialNumber, metadata, ...rest } = whole
  const { timestamp: _timestamp, ...known } = metadata
  return {
    ...rest,
    metadata: { ...known, component: { ...own, name, version, 'bom-ref': id, purl: `pkg:npm/${id}` } },
    components: components.map(each => ({
      ...each,
      scope: 'required',
      properties: [{ name: 'turnpike:bundled', value: String(bundled.has(`${each.name}@${each.version}`)) }],
    })),
    dependencies: whole.dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref: renamed(ref), dependsOn: dependsOn.filter(each => refs.has(each)) })),
  }
}

/** `name@version` of each heading of the notices: `## undici 8.12.4 (MIT)`. */
export function bundledPackages(notices: string): ReadonlySet<string> {
  return new Set(Array.from(notices.matchAll(/^## (\S+) (\d\S*) \(.*\)$/gm), ([, name, version]) => `${name}@${version}`))
}

/** Not for development, and not one of the optional peers. */
function isInstalled({ scope, properties = [] }: Component): boolean {
  return scope !== 'optional' && !properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true')
}
