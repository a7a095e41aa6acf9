import type { Plugin } from '../../core/index.ts'
import {
  hostPlugin,
  type AccountMeaning,
  type HostDialect,
  type HostPlugin,
  type HostSchema,
  type OptionSchemas,
} from '../host/host-plugin.ts'
import { messagesAdapter } from './adapter.ts'
import type { MessagesHost } from './messages-host.ts'
import { messagesShape } from './messages-shape.ts'

const messagesDialect: HostDialect<MessagesHost> = { path: '/v1/messages', shape: messagesShape, adapter: messagesAdapter }

/** The table of a vendor whose API is a dialect of Messages. */
export type MessagesProviderTable<
  P extends OptionSchemas,
  R extends readonly string[],
  A extends AccountMeaning = AccountMeaning,
> = MessagesHost & HostPlugin<MessagesHost, P, R, A>

/**
 * The plugin of a vendor whose API is a dialect of Messages: `export default messagesProvider({ name, id, baseUrl, … })`. The table is
 * checked at the start of a gateway.
 */
export function messagesProvider<
  const P extends OptionSchemas = {},
  const R extends readonly string[] = readonly [],
  A extends AccountMeaning = undefined,
>(table: MessagesProviderTable<P, R, A>): Plugin<HostSchema<P, R, A>> {
  return hostPlugin<MessagesHost, P, R, A>(messagesDialect, table, messagesProvider)
}
