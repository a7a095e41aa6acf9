import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PluginError } from '../../../core/index.ts'

type Exports = Readonly<Record<string, unknown>>

/** Imports the package that the operator named, and picks the export that makes a provider or is one. */
export async function loadExport(plugin: string, packageName: string, exportName: string | undefined): Promise<unknown> {
  const exports = await load(plugin, packageName)
  const name = exportName ?? onlyFactory(plugin, packageName, exports)
  if (exports[name] !== undefined) return exports[name]
  throw new PluginError(
    plugin,
    `finds no export "${name}" in the package ${packageName}, which exports ${listed(functionsOf(exports))}. Name one in the option export.`,
  )
}

async function load(plugin: string, packageName: string): Promise<Exports> {
  const address = addressOf(packageName)
  try {
    return (await import(address)) as Exports
  } catch (cause) {
    const isAbsent = address === packageName && (cause as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND'
    throw isAbsent
      ? new PluginError(plugin, absence(packageName), { cause })
      : new PluginError(plugin, `cannot load ${packageName}: ${(cause as Error).message}`, { cause })
  }
}

function absence(packageName: string): string {
  return isPath(packageName)
    ? `finds no module ${packageName} in ${process.cwd()}. Correct the option package.`
    : `needs the package ${packageName}, which is not installed: npm install ${packageName}`
}

/** As seen from the current folder, where the config is; the gateway itself may be installed elsewhere. */
function addressOf(packageName: string): string {
  try {
    return pathToFileURL(createRequire(resolve('gateway.config.js')).resolve(packageName)).href
  } catch {
    // Not there, or without an entry for `require`: the plain import that follows knows.
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
    `finds several exports that may make a provider in ${packageName}: ${listed(factories)}. Name one in the option export.`,
  )
}

function functionsOf(exports: Exports): readonly string[] {
  return Object.keys(exports).filter(name => typeof exports[name] === 'function')
}

function listed(names: readonly string[]): string {
  return names.length > 0 ? names.join(', ') : 'no function'
}
