import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PluginError, type Registrar } from '../../../core/index.ts'

type Exports = Readonly<Record<string, unknown>>

/** Imports the operator's package and picks the export that creates a provider or is one. */
export async function loadExport(gateway: Registrar, packageName: string, exportName: string | undefined): Promise<unknown> {
  const { name: plugin } = gateway
  const exports = await load(gateway, packageName)
  const name = exportName ?? onlyFactory(plugin, packageName, exports)
  if (exports[name] !== undefined) return exports[name]
  throw new PluginError(
    plugin,
    `found no export "${name}" in the package ${packageName}, which exports ${listed(functionsOf(exports))}. Set the option export.`,
  )
}

async function load({ name: plugin, resolvePath }: Registrar, packageName: string): Promise<Exports> {
  // Resolve from the config, because the gateway may be installed elsewhere.
  const from = resolvePath('gateway.config.js')
  const address = addressOf(packageName, from)
  try {
    return (await import(address)) as Exports
  } catch (cause) {
    const isAbsent = address === packageName && (cause as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND'
    throw isAbsent
      ? new PluginError(plugin, absence(packageName, from), { cause })
      : new PluginError(plugin, `cannot load ${packageName}: ${(cause as Error).message}`, { cause })
  }
}

function absence(packageName: string, from: string): string {
  return isPath(packageName)
    ? `found no module ${packageName} in ${dirname(from)}. Correct the option package.`
    : `needs the package ${packageName}, which is not installed: npm install ${packageName}`
}

/** Where the package is, as seen from the file `from`. */
function addressOf(packageName: string, from: string): string {
  try {
    return pathToFileURL(createRequire(from).resolve(packageName)).href
  } catch {
    // Missing, or without an entry for `require`. The plain import that follows finds out.
    return packageName
  }
}

function isPath(packageName: string): boolean {
  return /^\.{0,2}\//.test(packageName)
}

function onlyFactory(plugin: string, packageName: string, exports: Exports): string {
  const factories = functionsOf(exports).filter(name => name.startsWith('create'))
  if (factories.length <= 1) return factories[0] ?? 'default'
  throw new PluginError(
    plugin,
    `found several exports in ${packageName} that may create a provider: ${listed(factories)}. Set the option export.`,
  )
}

function functionsOf(exports: Exports): readonly string[] {
  return Object.keys(exports).filter(name => typeof exports[name] === 'function')
}

function listed(names: readonly string[]): string {
  return names.length > 0 ? names.join(', ') : 'no functions'
}
