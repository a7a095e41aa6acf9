import { SearchEngines } from '../framework/extension-points.ts'
import type { Options, PluginDefinition, Registrar } from '../framework/plugin.ts'
import { engineOptions } from './engine-options.ts'
import { httpEngine, type EngineAdapter, type HttpEngineOptions } from './http-engine.ts'

/** A search engine that answers one HTTP request per search. */
export interface EngineDefinition<P, R extends readonly string[]> {
  /** As in records and messages. The plugin's name is this with `-search`. */
  readonly name: string
  /** The lower-case header for the API key. Default: `authorization`, as a bearer token. */
  readonly keyHeader?: string
  /** `apiKey`, `baseUrl`, and the engine's own. Those that every engine has are added. */
  readonly options: P
  /** Default: `apiKey`. */
  readonly required?: R
  /** Called once. Gets the checked options. */
  adapter(options: Options<EngineSchema<P, R>>): Omit<EngineAdapter, 'name'>
}

/** The schema of all options of an engine's plugin. */
export interface EngineSchema<P, R> {
  readonly type: 'object'
  readonly additionalProperties: false
  /** As in the definition. */
  readonly required: R
  /** Those of the definition, and `engineOptions`. */
  readonly properties: P & typeof engineOptions
}

/** The definition of the engine's plugin: `export default definePlugin(engineDefinition({ … }))`. */
export function engineDefinition<
  const P extends Readonly<Record<'apiKey' | 'baseUrl', object>>,
  const R extends readonly string[] = readonly ['apiKey'],
>({ name, keyHeader, options, required, adapter }: EngineDefinition<P, R>) {
  return {
    name: `${name}-search`,
    options: {
      type: 'object',
      additionalProperties: false,
      required: required ?? ['apiKey'],
      properties: { ...options, ...engineOptions },
    } as unknown as EngineSchema<P, R>,
    setup(gateway: Registrar, given: Options<EngineSchema<P, R>>): void {
      const sending = { ...(given as HttpEngineOptions), ...(keyHeader !== undefined && { keyHeader }) }
      gateway.add(SearchEngines, httpEngine({ ...adapter(given), name }, gateway.http, sending))
    },
  } satisfies PluginDefinition
}
