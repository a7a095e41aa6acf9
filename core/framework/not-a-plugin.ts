import { isObject, type JsonObject } from '../foundation/json.ts'
import { isPending } from '../runtime/pending.ts'
import { apiVersion, definitionOf } from './plugin.ts'
import { show } from './shape.ts'

/** The reason why an entry of `plugins` is not a plugin, with the right form. */
export function notAPlugin(entry: unknown): string {
  const { name, options } = definitionOf(entry) ?? {}
  if (name !== undefined && typeof entry === 'function' && options?.required?.length)
    return `(${name}) needs options: call ${entry.name}({ ${(options?.required ?? []).map(each => `${each}: …`).join(', ')} })`
  if (typeof entry === 'function') return `is a function that was not called: call ${entry.name || 'it'}({})`
  if (typeof entry === 'string') return `is the string "${entry}": import the plugin and call it, such as health({})`
  if (Array.isArray(entry)) return 'is an array: spread it into `plugins`, such as ...defaults()'
  if (isPending(entry)) return 'is a promise: await it'
  if (typeof entry === 'object' && entry !== null && Symbol.toStringTag in entry && entry[Symbol.toStringTag] === 'Module')
    return 'is a module: import its default export and call it, such as health({})'
  if (typeof entry === 'object' && entry !== null && 'setup' in entry)
    return 'was not made with definePlugin: write definePlugin({ … }), and call what it returns'
  if (isObject(entry) && typeof entry['default'] === 'function')
    return 'is what a CommonJS module exports: call its member `default`, such as acme.default({})'
  if (isObject(entry) && 'apiVersion' in entry && entry['apiVersion'] !== apiVersion) return otherVersion(entry)
  if (isObject(entry) && !('apiVersion' in entry))
    return `is not a plugin, but an object${membersOf(entry)}: call a plugin with its options, such as health({})`
  return 'is not a plugin (apiVersion 1): call a plugin to make one, such as health({})'
}

/** Names only: a value may be a key. */
function membersOf(entry: JsonObject): string {
  const names = Object.keys(entry).slice(0, 4)
  return names.length === 0 ? ' without members' : ` with ${names.join(', ')}`
}

function otherVersion({ apiVersion: version, plugin }: JsonObject): string {
  const name = isObject(plugin) && typeof plugin['name'] === 'string' ? `(${plugin['name']}) ` : ''
  if (typeof version !== 'number')
    return `${name}has a bad \`apiVersion\`: expected the number ${apiVersion}, got ${show(version)}. Make plugins with definePlugin`
  const remedy = version > apiVersion ? 'Update turnpike' : 'Update the plugin'
  return `${name}was made for plugin API ${version}, and this turnpike has plugin API ${apiVersion}. ${remedy}`
}

const namePattern = /^(@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/
const maxNameLength = 214

/**
 * Describes what is wrong with the name of a plugin. Every message about the plugin contains the name, so it has the form of a package
 * name.
 */
export function nameProblem(name: unknown): string | undefined {
  if (typeof name === 'string' && namePattern.test(name) && name.length <= maxNameLength) return undefined
  return `has a bad \`name\`: expected one such as acme-chat or @acme/turnpike-chat, got ${show(name)}`
}
