// Starts the gateway in the folder that is given, where the package and the add-on of test/fixtures/stranger are installed. Its provider has
// to answer, its sort to choose, its store to keep, also over a restart, and its page to be shown.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

const folder = process.argv[2]
const token = 'demo-admin-token-of-the-stranger'
const offices = []
const vendor = createServer(async (request, reply) => {
  assert.equal(request.headers['x-roving-key'], 'demo-roving-key')
  const { office, lines } = JSON.parse(Buffer.concat(await request.toArray()).toString())
  offices.push(office)
  if (lines) reply.end('{"word":"Good "}\n{"word":"evening"}\n{"read":2,"said":3}\n')
  else reply.setHeader('content-type', 'application/json').end('{"word":"Good evening","read":2,"said":3}')
})
const vendorPort = await listening(vendor)
const [port, adminPort] = [await freePort(), await freePort()]
let gateway

try {
  const first = await start()
  const [key] = /tp_\w+/.exec(first) ?? assert.fail('The first start printed no key.')
  const ask = body => call(key, 'POST', '/v1/responses', { model: 'roving-1', input: 'Hello', ...body })
  const plain = JSON.parse(await ask({}))
  assert.equal(plain.output[0].content[0].text, 'Good evening')
  const sorted = { routing: { provider: { sort: 'farthest' } } }
  const stream = await ask({ stream: true, ...sorted })
  assert.match(stream, /response\.output_text\.delta[^]*"delta":"evening"[^]*response\.completed/)
  offices.length = 0
  for (let times = 0; times < 3; times++) await ask(sorted)
  assert.deepEqual(offices, ['roving-south', 'roving-south', 'roving-south'])
  assert.match(await readFile(join(folder, 'data/responses.jsonl'), 'utf8'), new RegExp(plain.id))

  await showsPage()
  await stop()
  await start()
  const kept = JSON.parse(await call(key, 'GET', `/v1/responses/${plain.id}`))
  assert.equal(kept.output[0].content[0].text, 'Good evening')
  await ask({ previous_response_id: plain.id })
  console.log('It answers, streams, sorts, keeps its answers over a restart, and shows its page.')
} finally {
  await stop()
  vendor.closeAllConnections()
  vendor.close()
}

async function showsPage() {
  const admin = `http://127.0.0.1:${adminPort}`
  assert.match(await (await fetch(`${admin}/modules/roving.js`)).text(), /Roving has answered/)
  const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
  if (!existsSync(executablePath)) return console.log('There is no Chromium, so nobody has looked at the page.')
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    timeout: 60_000,
  })
  try {
    const page = await browser.newPage()
    page.setDefaultTimeout(60_000)
    const problems = []
    page.on('pageerror', error => problems.push(error.message))
    await page.goto(admin)
    await page.getByLabel(/token/i).fill(token)
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Roving' }).click()
    await page.getByText(/Roving has answered \d+ requests/).waitFor()
    assert.deepEqual(problems, [])
  } finally {
    await browser.close()
  }
}

async function call(key, method, path, body) {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  assert.equal(reply.status, 200, text)
  return text
}

async function start() {
  gateway = spawn(join(folder, 'node_modules/.bin/turnpike'), ['start', '--port', String(port)], {
    cwd: folder,
    env: {
      ...process.env,
      ROVING_KEY: 'demo-roving-key',
      ROVING_URL: `http://127.0.0.1:${vendorPort}`,
      ROVING_ADMIN_PORT: String(adminPort),
      GATEWAY_ADMIN_TOKEN: token,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  for await (const part of gateway.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    output += part
    if (!output.includes('listens on')) continue
    gateway.stdout.resume()
    return output
  }
  return assert.fail(`It ended without listening:\n${output}`)
}

async function stop() {
  const ending = gateway
  gateway = undefined
  if (!ending || ending.exitCode !== null) return
  const over = once(ending, 'exit')
  ending.kill('SIGTERM')
  await over
}

async function listening(server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server.address().port
}

async function freePort() {
  const server = createServer()
  const free = await listening(server)
  server.close()
  await once(server, 'close')
  return free
}
