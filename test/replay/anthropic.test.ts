import anthropic from '../../plugins/providers/anthropic/index.ts'
import vertex from '../../plugins/providers/vertex/index.ts'
import { FakeGoogle } from '../fake-google.ts'
import { replay } from './replay.ts'

const google = await FakeGoogle.start()
const credentials = { json: JSON.stringify(google.serviceAccount) }

replay('anthropic', (id, baseUrl, vendor) =>
  vendor === 'vertex-anthropic'
    ? vertex({ id, baseUrl, credentials, tokenUrl: `${google.url}/token` })
    : anthropic({ id, baseUrl, apiKey: 'sk-demo-replay' }),
)
