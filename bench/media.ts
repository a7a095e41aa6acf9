// What images by URL cost a gateway whose provider accepts only inline images: the longest stall of its event loop, and its memory.
// `node --conditions=turnpike-source bench/media.ts`

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const mebibyte = 1024 * 1024
const images = new Map<number, Buffer>()

/** `/<bytes>/<number>` is an image of that size. */
const mediaUrl = await serve((request, reply) => {
  const bytes = Number(request.url!.split('/')[1])
  if (!images.has(bytes)) images.set(bytes, Buffer.concat([png, Buffer.alloc(bytes - png.length, 7)]))
  reply.setHeader('content-length', bytes).end(images.get(bytes))
})
let received = 0
const vendorUrl = await serve((request, reply) => {
  let bytes = 0
  request
    .on('data', (chunk: Buffer) => void (bytes += chunk.length))
    .on('end', () => {
      received += bytes
      setTimeout(() => reply.setHeader('content-type', 'application/json').end(answerTo(request.url!)), 200)
    })
})

const child = fork(fileURLToPath(new URL('media-gateway.ts', import.meta.url)), [vendorUrl, new URL(mediaUrl).host])
process.once('exit', () => child.kill('SIGKILL'))
const [{ port, key }] = (await once(child, 'message')) as [{ port: number; key: string }]

for (const model of ['gemini/demo', 'bedrock/anthropic.demo']) await measure(`one small request to ${model}`, 1, 1, 1_000, model)
await measure('64 images of 19 MB', 1, 64, 19_000_000, 'gemini/demo')
await measure('the same, four at a time', 4, 64, 19_000_000, 'gemini/demo')
await measure('the same, 32 at a time', 32, 64, 19_000_000, 'gemini/demo')
await measure('8 images of 3.9 MiB', 1, 8, 3.9 * mebibyte, 'gemini/demo')
await measure('the same for a provider that signs', 1, 8, 3.9 * mebibyte, 'bedrock/anthropic.demo')
await measure('the same, 32 at a time', 32, 8, 3.9 * mebibyte, 'gemini/demo')
child.kill()
process.exit()

async function measure(title: string, requests: number, count: number, bytes: number, model: string): Promise<void> {
  await sleep(500)
  await report()
  received = 0
  let peakMb = 0
  let stallMs = 0
  const look = async (): Promise<void> => {
    const now = await report()
    peakMb = Math.max(peakMb, now.residentMb)
    stallMs = Math.max(stallMs, now.stallMs)
  }
  const all = Promise.all(Array.from({ length: requests }, (_, index) => ask(count, bytes, model, index)))
  const done = all.then(() => true)
  do await look()
  while (!(await Promise.race([done, sleep(50, false)])))
  await look()
  const statuses = await all
  const counted = Object.entries(Object.groupBy(statuses, status => status)).map(([status, some]) => `${some!.length} × ${status}`)
  console.log(
    `${title}: ${counted.join(', ')}; longest stall ${stallMs.toFixed(0)} ms, at most ${peakMb.toFixed(0)} MB resident, ${(received / 1e6).toFixed(0)} MB sent to the provider`,
  )
}

/** Asks the gateway for its state, one question at a time. */
async function report(): Promise<{ readonly stallMs: number; readonly residentMb: number }> {
  child.send('report')
  const [message] = await once(child, 'message')
  return message
}

function answerTo(path: string): string {
  return JSON.stringify(
    path.includes('/converse')
      ? { output: { message: { role: 'assistant', content: [{ text: 'Seen.' }] } }, stopReason: 'end_turn', usage: {} }
      : { candidates: [{ content: { role: 'model', parts: [{ text: 'Seen.' }] }, finishReason: 'STOP' }] },
  )
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function ask(count: number, bytes: number, model: string, request: number): Promise<string> {
  const content = Array.from({ length: count }, (_, index) => ({
    type: 'input_image',
    image_url: `${mediaUrl}/${Math.floor(bytes)}/${request}-${index}.png`,
  }))
  const reply = await fetch(`http://127.0.0.1:${port}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, input: [{ role: 'user', content }] }),
  })
  const { error } = (await reply.json()) as { error?: { code: string; message: string } | null }
  return error ? `${reply.status} ${error.code}` : `${reply.status}`
}
