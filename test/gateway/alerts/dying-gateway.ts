// A gateway that is killed while its channel delivers an alert. It says the id once the channel has it.
import { setTimeout } from 'node:timers/promises'
import { createGateway } from '../../../core/gateway.ts'
import { AlertChannels } from '../../../core/admin.ts'
import { LogSinks } from '../../../core/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import sql from '../../../plugins/stores/sql/index.ts'
import { adding } from '../../kit/stage.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import { storeServiceNames } from '../../../core/stores.ts'
import models from '../../../plugins/endpoints/models/index.ts'

const [, , file = ''] = process.argv
const channel = adding(AlertChannels, {
  name: 'told',
  deliver: async ({ id }) => {
    process.send!(id)
    await setTimeout(600_000)
  },
})
const failing = adding(LogSinks, { name: 'failing', accepts: 'metadata', write: () => Promise.reject(new Error('no')) })
const gateway = await createGateway({
  plugins: [
    sql({ file, services: [...storeServiceNames] }),
    memory({}),
    localSealer({ masterKey: 'ab'.repeat(32) }),
    models({}),
    channel,
    failing,
  ],
  settings: { logLevel: 'silent' },
})
const key = await gateway.issueKey({ name: 'demo' })
await gateway.http.h3.request('/v1/models', { headers: { authorization: `Bearer ${key}` } })
await setTimeout(600_000)
