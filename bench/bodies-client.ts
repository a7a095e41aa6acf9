import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { parentPort, workerData } from 'node:worker_threads'
import { bodyShapes, decisionShapes } from './body-shapes.ts'

// Sends the bodies of bench/bodies.ts from a separate thread, one per message.

const { url, apiKey } = workerData as { readonly url: string; readonly apiKey: string }

parentPort!.on('message', (shape: string) => {
  const path = shape in bodyShapes ? '/v1/responses' : '/v1/systemone'
  const body = Buffer.from((bodyShapes[shape] ?? decisionShapes[shape]!)())
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'content-length': body.length }
  parentPort!.postMessage('made')
  const sent = request(`${url}${path}`, { method: 'POST', headers, agent: false }, async reply => {
    parentPort!.postMessage({ bytes: body.length, status: reply.statusCode, answer: (await text(reply)).slice(0, 400) })
  })
  sent.end(body)
})
