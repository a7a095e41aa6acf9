// Runs in a folder with the installed package and the example provider: starts the command, and streams an answer from the example's
// provider, behind which is a fake upstream, and one from the sandbox.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { checkStream, fakeUpstream, sseFrame } from 'turnpike/testing'

const upstream = await fakeUpstream(() => ({
  headers: { 'content-type': 'text/event-stream' },
  body: [
    sseFrame({ text: 'Good ' }, 'say'),
    sseFrame({ text: 'morning' }, 'say'),
    sseFrame({ reason: 'done', tokens: { in: 3, out: 2 } }, 'end'),
  ],
}))
const port = await freePort()
const startedMs = performance.now()
const gateway = spawn('npx', ['--no-install', 'turnpike', 'start', '--port', String(port)], {
  env: { ...process.env, ACME_API_KEY: 'sk-demo-acme', ACME_URL: upstream.url },
  stdio: ['ignore', 'pipe', 'inherit'],
  detached: true,
})

try {
  const output = await untilListening(gateway.stdout)
  console.log(`It listens after ${Math.round(performance.now() - startedMs)} ms.`)
  const [key] = /tp_\w+/.exec(output) ?? assert.fail('The first start printed no key.')
  assert.equal(await answer(key, 'acme/rocket-1'), 'Good morning')
  assert.equal(upstream.requests[0]?.headers['x-acme-key'], 'sk-demo-acme')
  assert.equal(await answer(key, 'sandbox/echo'), 'Hello')
  console.log('It streams from the example and from the sandbox.')
} finally {
  const over = once(gateway, 'exit')
  process.kill(-gateway.pid, 'SIGTERM')
  await over
  await upstream.close()
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: free } = server.address()
  server.close()
  await once(server, 'close')
  return free
}

async function untilListening(stdout) {
  let output = ''
  for await (const part of stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    output += part
    if (!output.includes(`listens on http://127.0.0.1:${port}`)) continue
    stdout.resume()
    return output
  }
  return assert.fail(`It ended without listening:\n${output}`)
}

async function answer(key, model) {
  const response = await fetch(`http://127.0.0.1:${port}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, input: 'Hello', stream: true }),
  })
  assert.equal(response.status, 200)
  const { items } = checkStream(await response.text())
  return items.map(({ content }) => content[0].text).join('')
}
