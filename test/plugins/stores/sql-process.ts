// Another process on the same file: adds a key and says what it finds.
import { KeyStore } from '../../../core/index.ts'
import sql from '../../../plugins/stores/sql/index.ts'
import { setUp } from '../set-up.ts'
import { leanKey } from './keys.ts'

const [file = '', id = ''] = process.argv.slice(2)
const { container, host } = await setUp([sql({ file })])
const keys = container.get(KeyStore)
await keys.add({ ...leanKey, id })
console.log(JSON.stringify(await keys.find(id)))
await host.stop()
