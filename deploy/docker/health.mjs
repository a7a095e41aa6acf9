// The health check of the image: ends with 0 if HEALTH_URL answers with a 200, else with 1.

import { get as getHttp } from 'node:http'

const url = process.env.HEALTH_URL ?? 'http://127.0.0.1:8081/live'
if (!URL.canParse(url)) end(false, `HEALTH_URL must be an address such as http://127.0.0.1:8081/live, got ${url}`)
// The certificate names the gateway, and this asks an address of the container itself.
const options = { timeout: 4_000, rejectUnauthorized: false }
const get = url.startsWith('https:') ? (await import('node:https')).get : getHttp

get(url, options, ({ statusCode }) => end(statusCode === 200, `${url} answered with ${statusCode}`))
  .on('timeout', () => end(false, `${url} does not answer`))
  .on('error', ({ code }) => end(false, `${url} does not answer (${code})`))

function end(isHealthy, problem) {
  if (!isHealthy) console.error(problem)
  process.exit(isHealthy ? 0 : 1)
}
