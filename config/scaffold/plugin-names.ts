/** The names of a new plugin: of its package, in its code and for its users. */
export interface PluginNames {
  /** Of the npm package, and of the plugin: `turnpike-plugin-word-guard`, `@acme/turnpike-word-guard`. */
  readonly package: string
  /** Without scope and prefix: `word-guard`. */
  readonly short: string
  /** As a config imports it: `wordGuard`. */
  readonly identifier: string
}

const shortName = '[a-z][a-z0-9]*(?:-[a-z0-9]+)*'
const packageName = new RegExp(`^(?:(?:@[a-z0-9][a-z0-9._-]*/)(?:turnpike-(?:plugin-)?)?|(?:turnpike-plugin-)?)(${shortName})$`)

/** The names that follow from the one that the command line gives, or undefined if it cannot be a name. */
export function namesFrom(given: string): PluginNames | undefined {
  const short = packageName.exec(given)?.[1]
  if (short === undefined || short === 'plugin' || given.length > 200) return undefined
  const isPackage = given.startsWith('@') || given.startsWith('turnpike-plugin-')
  return { package: isPackage ? given : `turnpike-plugin-${short}`, short, identifier: identifierOf(short) }
}

/** A name with one word may be a word of the language. */
function identifierOf(short: string): string {
  return short.includes('-') ? camelCase(short) : `${short}Plugin`
}

export function camelCase(name: string): string {
  return name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())
}

/** `big-vendor` as `BigVendor`. */
export function pascalCase(name: string): string {
  return camelCase(`-${name}`)
}

/** `big-vendor` as `Big Vendor`. */
export function titleCase(name: string): string {
  return name
    .split('-')
    .map(word => pascalCase(word))
    .join(' ')
}
