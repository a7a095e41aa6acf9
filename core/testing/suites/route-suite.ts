import assert from 'node:assert/strict'
import pTimeout from 'p-timeout'
import type { Route } from '../../contracts/route.ts'
import { GatewayError } from '../../foundation/errors.ts'
import { parseJson } from '../../foundation/json.ts'
import { Routes } from '../../framework/extension-points.ts'
import { onStage, type CallStage, type CallSuiteOptions } from '../call-stage.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { isDescribed, oddPaths, pathOf, strayBodies } from './any-request.ts'
import { addedTo, onEachPlugin, stageOf } from './on-each-plugin.ts'
import { trialAnswers, trialLeaves } from './route-trial.ts'

/** For `routeSuite`. */
export interface RouteSuiteOptions extends CallSuiteOptions {
  /** How long a record may take to arrive, in milliseconds. Default: 5000. */
  readonly recordMs?: number
}

/** Tests for every plugin with routes: an endpoint, or a whole surface. */
export function routeSuite(t: SuiteContext, options: RouteSuiteOptions): void {
  const test = onEachPlugin(t, options, Routes)
  const on = (name: string, run: (stage: CallStage, route: Route) => Promise<void>): unknown =>
    t.test(name, async () => {
      await using around = await stageOf(options)
      const routes = addedTo(around, options, Routes)
      await onStage(options, async stage => {
        for (const route of routes) await run(stage, route)
      })
    })
  on('asks for a key, where it says so', asksForKey)
  on('any body, path and query gets an answer', answersAnything)
  on('every request with a key leaves one record', async (stage, route) => records(stage, route, options))
  on('what the playground sends is answered, if it has a `trial`', trialAnswers)
  on('a client may leave, if it has a `trial`', trialLeaves)
  test('its errors have the status and a body', async route => formatsErrors(route))
  test('is described for OpenAPI, if it has `describe`', async route => {
    if (route.describe) isDescribed(route.path, route.describe())
  })
  test('its headers about windows are texts', async route => {
    const headers: unknown = route.rateLimitHeaders?.([], Date.now()) ?? {}
    for (const [name, value] of Object.entries(headers as object)) assert.equal(typeof value, 'string', `the header ${name}`)
  })
}

async function asksForKey(stage: CallStage, route: Route): Promise<void> {
  if (route.auth !== 'key') return
  for (const authorization of ['', 'Bearer tp_no_key', 'Basic YTpi']) {
    const reply = await stage.gateway.request(pathOf(route), { method: route.method, headers: { authorization } })
    assert.equal(reply.status, 401, `${route.method} ${route.path} without a key`)
    await reply.text()
  }
}

const takesBody = ({ method }: Route): boolean => method !== 'GET' && method !== 'DELETE'

async function answersAnything(stage: CallStage, route: Route): Promise<void> {
  const { method } = route
  const check = async (
    path: string,
    init: { readonly body?: string; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<void> => {
    const reply = await stage.gateway.request(path, { method, ...init })
    const text = await reply.text()
    const what = `${method} ${path.slice(0, 80)} with ${(init.body ?? 'no body').slice(0, 60)}`
    assert.ok(reply.status < 500, `status ${reply.status} for ${what}: ${text.slice(0, 200)}`)
    if (text !== '' && reply.headers.get('content-type')?.startsWith('application/json'))
      assert.notEqual(parseJson(text), undefined, `no JSON for ${what}`)
    assert.doesNotMatch(text, /\n\s+at \S+ \(?(?:file|node):/, `the reply to ${what} shows a stack`)
  }
  for (const path of oddPaths(route)) await check(path, {})
  if (takesBody(route)) for (const { body, type } of strayBodies) await check(pathOf(route), { body, headers: { 'content-type': type } })
}

async function records(stage: CallStage, route: Route, { recordMs = 5_000 }: RouteSuiteOptions): Promise<void> {
  if (route.auth !== 'key') return
  const before = stage.records.length
  for (const body of takesBody(route) ? ['{}', '[]'] : [undefined, undefined]) {
    const headers = { 'content-type': 'application/json' }
    const reply = await stage.gateway.request(pathOf(route), { method: route.method, headers, ...(body !== undefined && { body }) })
    await reply.text()
  }
  const message = `no record of ${route.method} ${route.path} came within ${recordMs} ms`
  await pTimeout(stage.recorded(before + 2), { milliseconds: recordMs, message })
  const ids = stage.records.slice(before).map(({ id }) => id)
  assert.equal(new Set(ids).size, 2, `two requests to ${route.method} ${route.path} must leave two records`)
}

const statuses = [400, 401, 402, 403, 404, 413, 422, 424, 429, 500, 503, 504] as const

async function formatsErrors(route: Route): Promise<void> {
  for (const status of statuses) {
    const message = `demo message ${status}`
    const error = new GatewayError({ status, type: 'invalid_request_error', code: 'invalid_prompt', message })
    const reply = route.error?.(error, 'req_demo', new Headers())
    if (reply === undefined) continue
    assert.ok(
      Number.isInteger(reply.status) && reply.status >= 400 && reply.status < 600,
      `it answers an error with the status ${reply.status}`,
    )
    assert.ok(typeof reply.body === 'string' && reply.body.includes(message), `it leaves out the message of the error ${status}`)
  }
}
