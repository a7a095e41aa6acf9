import assert from 'node:assert/strict'
import pTimeout from 'p-timeout'
import type { Route } from '../../contracts/route.ts'
import type { RouteTrial } from '../../contracts/route-trial.ts'
import { isObject, parseJson } from '../../foundation/json.ts'
import { wholeAnswer, type CallStage } from '../call-stage.ts'
import { suiteModels } from '../stage-parts.ts'

const leaveMs = 5_000

/** Sends the example of a route as the playground does. Undefined if the route has none. */
function sent(stage: CallStage, route: Route, signal?: AbortSignal): Promise<Response> | undefined {
  const { trial } = route
  if (!trial) return undefined
  const model = suiteModels[trial.kind]
  const path = (trial.path ?? route.path).replace('{model}', encodeURIComponent(model))
  const body = trial.path?.includes('{model}') ? trial.example : { ...trial.example, model }
  return stage.gateway.request(path, { method: route.method, body, ...(signal && { signal }) })
}

export async function trialAnswers(stage: CallStage, route: Route): Promise<void> {
  const reply = await sent(stage, route)
  if (!reply) return
  const { kind, texts = [] } = route.trial!
  const text = await reply.text()
  assert.equal(reply.status, 200, `the example of ${route.path} gets ${text.slice(0, 300)}`)
  const isStream = reply.headers.get('content-type')?.startsWith('text/event-stream')
  const values = isStream ? eventsIn(text) : [parseJson(text)]
  assert.ok(values.length > 0 && !values.includes(undefined), `the answer of ${route.path} must be JSON, or events with JSON`)
  if (kind !== 'generation' || texts.length === 0) return
  const said = values.flatMap(value => textsOf(value, route.trial!)).join('')
  assert.ok(
    said.includes(wholeAnswer),
    `\`trial.texts\` of ${route.path} find "${said.slice(0, 100)}": expected the model's "${wholeAnswer}"`,
  )
}

/** The data of server-sent events, as JSON. A last `[DONE]` is none. */
function eventsIn(text: string): readonly unknown[] {
  return text
    .split('\n\n')
    .map(frame =>
      frame
        .split('\n')
        .filter(line => line.startsWith('data:'))
        .map(line => line.slice('data:'.length).trim())
        .join('\n'),
    )
    .filter(data => data !== '' && data !== '[DONE]')
    .map(parseJson)
}

function textsOf(value: unknown, { texts = [] }: RouteTrial): readonly string[] {
  return texts.flatMap(path => at(value, path.split('.'))).filter(found => typeof found === 'string')
}

function at(value: unknown, [name, ...rest]: readonly string[]): readonly unknown[] {
  if (name === undefined) return [value]
  if (name === '*')
    return Array.isArray(value)
      ? value.flatMap(each => at(each, rest))
      : isObject(value)
        ? Object.values(value).flatMap(each => at(each, rest))
        : []
  if (Array.isArray(value)) return at(value[Number(name)], rest)
  return isObject(value) && Object.hasOwn(value, name) ? at(value[name], rest) : []
}

/** Leaves while the model answers. The gateway must notice, and the request leaves its record. */
export async function trialLeaves(stage: CallStage, route: Route): Promise<void> {
  if (route.trial?.kind !== 'generation') return
  const { calls, records } = stage
  const [before, recorded] = [calls.length, records.length]
  const leaving = new AbortController()
  let isOver = false
  stage.answering = 'hangs'
  void sent(stage, route, leaving.signal)!
    .then(reply => reply.text())
    .catch(() => undefined)
    .then(() => void (isOver = true))
  while (calls.length === before && !isOver) await new Promise(resolve => setImmediate(resolve))
  leaving.abort()
  const message = `a request to ${route.path} goes on ${leaveMs} ms after its client left`
  await pTimeout(stage.recorded(recorded + 1), { milliseconds: leaveMs, message })
  stage.answering = 'whole'
}
