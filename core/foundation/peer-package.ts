import { PluginError } from './errors.ts'

/**
 * Fails at start where an optional package is missing, without loading it. `use` completes "needs the package … ", such as
 * "for AWS profiles". The caller imports the package itself, so that the compiler knows its types.
 */
export function requirePeer(plugin: string, packageName: string, use: string): void {
  try {
    import.meta.resolve(packageName)
  } catch (cause) {
    throw new PluginError(plugin, `needs the package ${packageName} ${use}. Install it: npm install ${packageName}`, { cause })
  }
}
