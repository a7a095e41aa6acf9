import type { Plugin } from '../../core/index.ts'
import { hostPlugin, type HostDialect, type HostPlugin, type HostSchema, type OptionSchemas } from '../host/host-plugin.ts'
import { responsesAdapter } from './adapter.ts'
import type { ResponsesHost } from './responses-host.ts'
import { responsesShape } from './responses-shape.ts'

const responsesDialect: HostDialect<ResponsesHost> = { path: '/responses', shape: responsesShape, adapter: responsesAdapter }

/** The table of a vendor whose API is a dialect of Responses. */
export type ResponsesProviderTable<P extends OptionSchemas, R extends readonly string[]> = ResponsesHost & HostPlugin<ResponsesHost, P, R>

/**
 * The plugin of a vendor whose API is a dialect of Responses: `export default responsesProvider({ name, id, baseUrl, … })`. The table is
 * checked at the start of a gateway.
 */
export function responsesProvider<const P extends OptionSchemas = {}, const R extends readonly string[] = readonly []>(
  table: ResponsesProviderTable<P, R>,
): Plugin<HostSchema<P, R>> {
  return hostPlugin<ResponsesHost, P, R>(responsesDialect, table, responsesProvider)
}
