import type { Plugin } from '../../core/index.ts'
import { hostPlugin, type HostDialect, type HostPlugin, type HostSchema, type OptionSchemas } from '../host/host-plugin.ts'
import { messagesAdapter } from './adapter.ts'
import type { MessagesHost } from './messages-host.ts'
import { messagesShape } from './messages-shape.ts'

const messagesDialect: HostDialect<MessagesHost> = { path: '/v1/messages', shape: messagesShape, adapter: messagesAdapter }

/** The table of a vendor whose API is a dialect of Messages. */
export type MessagesProviderTable<P extends OptionSchemas, R extends readonly string[]> = MessagesHost & HostPlugin<MessagesHost, P, R>

/**
 * The plugin of a vendor whose API is a dialect of Messages: `export default messagesProvider({ name, id, baseUrl, … })`. The table is
 * checked at the start of a gateway.
 */
export function messagesProvider<const P extends OptionSchemas = {}, const R extends readonly string[] = readonly []>(
  table: MessagesProviderTable<P, R>,
): Plugin<HostSchema<P, R>> {
  return hostPlugin<MessagesHost, P, R>(messagesDialect, table, messagesProvider)
}
