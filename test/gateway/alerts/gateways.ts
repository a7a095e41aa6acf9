import { AlertChannels, type Alert, type AlertAudience } from '../../../core/admin.ts'
import { ProviderFailure } from '../../../core/index.ts'
import type { PluginUse } from '../../../core/framework/plugin.ts'
import { adminGateway, type AdminGateway } from '../../kit/admin-gateway.ts'
import { hello, scripted } from '../../kit/gateway.ts'
import { adding, listing } from '../../kit/stage.ts'

export interface Delivered {
  readonly gateway: number
  readonly alert: Alert
  readonly audience: AlertAudience
}

export interface AlertGateway extends AdminGateway {
  /** Asks a model as this key. Returns the status. */
  ask(key: string, model?: string): Promise<number>
}

const usd = 0.01
/** In every prompt. */
export const canary = 'canary-5e1d'

/** Gateways on one database, whose channels add to one list. A request to the model `priced` costs a cent, and `acme` may be down. */
export async function gateways(
  count: number,
  stores: () => readonly PluginUse[],
): Promise<{
  readonly all: readonly AlertGateway[]
  readonly delivered: Delivered[]
  readonly acme: { isDown: boolean }
  stop(): Promise<void>
}> {
  const delivered: Delivered[] = []
  const acme = { isDown: false }
  const all: AlertGateway[] = []
  for (let gateway = 0; gateway < count; gateway++) {
    const channel = adding(AlertChannels, {
      name: 'told',
      deliver: async (alert, audience) => void delivered.push({ gateway, alert, audience }),
    })
    const provider = scripted('acme', async function* () {
      if (acme.isDown) throw new ProviderFailure({ kind: 'network', message: 'no connection' })
      yield* hello
    })
    const endpoint = { provider: 'acme', price: { input: 0, output: 0, request: usd } }
    const models = ['priced', ...Array.from({ length: 12 }, (_, index) => `m${index}`)]
    const catalog = listing(...models.map(model => ({ model, endpoints: [endpoint] })))
    const under = await adminGateway({ plugins: [...stores(), channel, provider, catalog] })
    const ask = async (key: string, model = 'priced'): Promise<number> => {
      const headers = { authorization: `Bearer ${key}` }
      const reply = await under.request('/v1/responses', { body: { model, input: canary, max_output_tokens: 16 }, headers })
      await reply.text()
      return reply.status
    }
    all.push({ ...under, ask })
  }
  return {
    all,
    delivered,
    acme,
    async stop() {
      for (const { stop } of all) await stop()
    },
  }
}
