import { PluginStage } from '../../../core/testing/plugin-stage.ts'
import { gateway, hello, saying } from '../../kit/gateway.ts'
import type { Mistake } from './stage.ts'

/** The error with which `turnpike check` and `turnpike start` end. */
export async function errorAtStart({ plugins }: Mistake): Promise<string> {
  try {
    await using _stage = await PluginStage.open(plugins())
    return 'no error'
  } catch (error) {
    return (error as Error).message
  }
}

/** The error of a gateway that does not start, or the first line of its log that names the plugin. */
export async function errorWhileRunning({ plugins, ask }: Mistake): Promise<string> {
  let under
  try {
    under = await gateway({ plugins: [saying('one', hello), saying('two', hello), ...plugins()] })
  } catch (error) {
    return (error as Error).message
  }
  const reply = await ask?.(under)
  await reply?.text()
  await under.stop()
  const lines = under.logs.map(line => JSON.parse(line) as { readonly plugin?: string; readonly reason?: string })
  return lines.find(({ plugin }) => plugin === 'acme')?.reason ?? 'no line'
}
