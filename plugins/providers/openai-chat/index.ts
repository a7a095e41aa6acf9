import { chatProviders, type ChatHost } from '../../../dialects/index.ts'
import type { Host } from './host.ts'
import { hosts, type HostName } from './hosts.ts'

/** Every known host of Chat Completions. */
export default chatProviders({
  name: 'openai-chat',
  hosts: Object.fromEntries(Object.entries(hosts).map(([name, host]) => [name, asTable(host)])) as Readonly<Record<HostName, ChatHost>>,
  host: 'openai',
  description: 'The OpenAI-compatible host. Sets the default of `baseUrl`, and how the host differs from the protocol.',
})

function asTable({ explicit: _, ...host }: Host): ChatHost {
  return host
}
