import { thrownMessage } from '../core/foundation/thrown-message.ts'
import { pluginBehind } from '../core/framework/plugin-origin.ts'
import type { PluginUse } from '../core/index.ts'

/** An error that nobody caught. */
export interface Fault {
  readonly error: unknown
  /** A promise was rejected. */
  readonly isRejection: boolean
  /** The plugin that raised it, if its stack tells. */
  readonly plugin: string | undefined
  /** Where, in the plugin's code. */
  readonly place: string | undefined
}

let plugins: readonly PluginUse['plugin'][] = []
let handle: (fault: Fault) => void = end

/** Makes an uncaught error end the process with a sentence that names the plugin. */
export function watchFaults(): void {
  process.on('unhandledRejection', error => handle(faultOf(error, true)))
  process.on('uncaughtException', error => handle(faultOf(error, false)))
}

/** The plugins that may be to blame. */
export function blamePlugins(uses: readonly PluginUse[]): void {
  plugins = uses.map(use => use?.plugin).filter(plugin => typeof plugin === 'object' && plugin !== null)
}

/** Handles faults from now on. */
export function handleFaults(handler: (fault: Fault) => void): void {
  handle = handler
}

function faultOf(error: unknown, isRejection: boolean): Fault {
  const blamed = pluginBehind(error, plugins)
  return { error, isRejection, plugin: blamed?.plugin.name, place: blamed?.place.text }
}

function end(fault: Fault): void {
  console.error(`turnpike: ${sentenceOf(fault)}`)
  process.exit(1)
}

function sentenceOf({ error, isRejection, plugin, place }: Fault): string {
  const what = thrownMessage(error)
  if (plugin === undefined) {
    if (!isRejection) return error instanceof Error ? (error.stack ?? what) : `Nobody caught a thrown value: ${what}`
    const where = error instanceof Error && error.stack ? `\n${error.stack}` : what
    return `Nobody caught the error of a rejected promise. Await it, or catch its error: ${where}`
  }
  return isRejection
    ? `plugin ${plugin} did not catch the error of a promise: ${what} (${place}). Await the promise, or catch its error.`
    : `plugin ${plugin} threw an error that nobody caught: ${what} (${place})`
}
