// Runs in a container: asks for a slow stream with the key in its first argument, and prints what came of it.

import { once } from 'node:events'
import { request } from 'node:http'

const [, , key, model, input] = process.argv
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
const asked = request('http://127.0.0.1:8080/v1/responses', { method: 'POST', headers, agent: false })
asked.end(JSON.stringify({ model, input, stream: true }))
const [reply] = await once(asked, 'response')
let answer = ''
for await (const part of reply.setEncoding('utf8')) {
  if (answer === '') console.log('begun')
  answer += part
}
console.log(`${reply.statusCode} ${/event: (response\.\w+)\n(?![^]*event: )/.exec(answer)?.[1]}`)
