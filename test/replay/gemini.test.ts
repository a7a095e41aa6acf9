import gemini from '../../plugins/providers/gemini/index.ts'
import vertex from '../../plugins/providers/vertex/index.ts'
import { FakeGoogle } from '../fake-google.ts'
import { replay } from './replay.ts'

const google = await FakeGoogle.start()
const credentials = { json: JSON.stringify(google.serviceAccount) }

replay('gemini', (id, baseUrl, vendor) =>
  vendor === 'vertex-gemini'
    ? vertex({ id, baseUrl, credentials, tokenUrl: `${google.url}/token` })
    : gemini({ id, baseUrl, apiKey: 'sk-demo-replay' }),
)
