import type { Plugin } from '../../core/index.ts'
import {
  hostPlugin,
  type AccountMeaning,
  type HostDialect,
  type HostPlugin,
  type HostSchema,
  type OptionSchemas,
} from '../host/host-plugin.ts'
import { responsesAdapter } from './adapter.ts'
import type { ResponsesHost } from './responses-host.ts'
import { responsesShape } from './responses-shape.ts'

const responsesDialect: HostDialect<ResponsesHost> = { path: '/responses', shape: responsesShape, adapter: responsesAdapter }

/** The table of a vendor whose API is a dialect of Responses. */
export type ResponsesProviderTable<
  P extends OptionSchemas,
  R extends readonly string[],
  A extends AccountMeaning = AccountMeaning,
> = ResponsesHost & HostPlugin<ResponsesHost, P, R, A>

/**
 * The plugin of a vendor whose API is a dialect of Responses: `export default responsesProvider({ name, id, baseUrl, … })`. The table is
 * checked at the start of a gateway.
 */
export function responsesProvider<
  const P extends OptionSchemas = {},
  const R extends readonly string[] = readonly [],
  A extends AccountMeaning = undefined,
>(table: ResponsesProviderTable<P, R, A>): Plugin<HostSchema<P, R, A>> {
  return hostPlugin<ResponsesHost, P, R, A>(responsesDialect, table, responsesProvider)
}
