// Another process on the same file: adds a key, stores a chain of responses after the named one, and reports what it finds.
import { leanKey } from '../../../core/testing/stores/key-store-suite.ts'
import { response } from '../../../core/testing/stores/response-store-suite.ts'
import { openSql } from './sql.ts'

const [file = '', id = '', previousId] = process.argv.slice(2)
const { keys, responses, stop } = await openSql(file)
await keys.add({ ...leanKey, id })
for (let turn = 1; turn <= 20; turn++) await responses.put('ada', response(`${id}-${turn}`, turn === 1 ? previousId : `${id}-${turn - 1}`))
const chain = await responses.chain('ada', `${id}-20`)
console.log(JSON.stringify({ key: await keys.find(id), turns: chain?.length }))
await stop()
