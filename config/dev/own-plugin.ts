import { definePlugin, LogSinks, type PluginUse, type RequestRecord } from '../../core/index.ts'

export const ownPluginName = 'turnpike-dev'

/** Hears of every request that is over. Metadata only. */
export function ownPlugin(heard: (record: RequestRecord) => void): PluginUse {
  const plugin = definePlugin({
    name: ownPluginName,
    options: { type: 'object', additionalProperties: false, properties: {} },
    setup(gateway) {
      gateway.add(LogSinks, {
        name: ownPluginName,
        accepts: 'metadata',
        async write(batch) {
          for (const record of batch) heard(record)
        },
      })
    },
  })
  return plugin({})
}
