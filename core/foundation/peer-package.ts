import { PluginError } from './errors.ts'

/**
 * Throws a `PluginError` if an optional package is not installed. `use` completes "needs the package … ", as in "for AWS profiles".
 * Does not load the package: import it yourself, so that the compiler knows its types.
 */
export function requirePeer(plugin: string, packageName: string, use: string): void {
  try {
    import.meta.resolve(packageName)
  } catch (cause) {
    throw new PluginError(plugin, `needs the package ${packageName} ${use}. Install it: npm install ${packageName}`, { cause })
  }
}
