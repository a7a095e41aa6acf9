import vertex from '../../../../plugins/providers/vertex/index.ts'
import { FakeGoogle } from '../../../kit/fake-google.ts'
import { replay } from './replay.ts'

const google = await FakeGoogle.start()
const credentials = { json: JSON.stringify(google.serviceAccount) }

replay('vertex', (id, baseUrl) => vertex({ id, baseUrl, credentials, tokenUrl: `${google.url}/token` }))
