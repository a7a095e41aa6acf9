import type { Test } from 'tap'
import type { Provider, ProviderCall } from '../../../../core/index.ts'
import type { PluginUse } from '../../../../core/framework/plugin.ts'
import summary from '../../../../plugins/compactors/summary/index.ts'
import { gateway, type GatewayUnderTest } from '../../../kit/gateway.ts'
import { stop, text, usage, witness, type Witness } from '../../../kit/stage.ts'

export const logging = { name: 'test', user: 'jane', policy: { logging: { value: true } } }
export const threshold = (tokens: number) => ({ context_management: [{ type: 'compaction', compact_threshold: tokens }] })
export const user = (content: unknown) => ({ role: 'user', content })
export const assistant = (content: string) => ({ role: 'assistant', content })
export const long = (words: number) => 'lorem ipsum '.repeat(words / 2)
export const trigger = { type: 'compaction_trigger' }

/** True for a request to summarize. */
export function asksForSummary({ request }: ProviderCall): boolean {
  const last = request.input.at(-1)
  return last?.type === 'message' && JSON.stringify(last.content).includes('about to be replaced by a summary')
}

/** A model that summarizes when asked to, and answers otherwise. */
export function scribe(id: string, more: Partial<Provider> = {}, told: (call: ProviderCall) => string = () => 'WHAT WAS SAID'): Witness {
  return witness(id, call => (asksForSummary(call) ? [text(told(call)), usage(100, 20), stop] : [text('answer'), usage(10, 2), stop]), more)
}

export async function compacting(t: Test, plugins: readonly PluginUse[], key: object = logging): Promise<GatewayUnderTest> {
  const under = await gateway({ plugins: [summary({}), ...plugins], key: key as never })
  t.teardown(under.stop)
  return under
}

/** The texts that a provider got, one a message. */
export function textsIn({ request }: ProviderCall): readonly string[] {
  return request.input.map(item => {
    if (item.type !== 'message') return `<${item.type}>`
    return item.content.map(part => ('text' in part ? part.text : `<${part.type}>`)).join('|')
  })
}

export const conversation = [user('The code word is slate.'), assistant('OK.'), user(long(600)), assistant(long(600)), user('And now?')]
