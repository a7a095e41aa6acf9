// A vendor that answers later: `POST /jobs` takes the question and returns an id, and `GET /jobs/<id>` says when the answer is ready.

import { setTimeout as delay } from 'node:timers/promises'
import { definePlugin, Providers, type GenerationEvent, type ProviderCall } from 'turnpike'
import { apiKeyOption, ApiKeys, askJson, failureKindOfStatus, failureReader, noUsage, textOfPart, type HttpClient } from 'turnpike/kit'

export default definePlugin({
  name: 'acme-jobs',
  contracts: { Providers: 1 },
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['apiKey'],
    properties: {
      apiKey: { ...apiKeyOption, description: 'The API key.' },
      baseUrl: { type: 'string', format: 'uri', default: 'https://jobs.acme.example.com', description: 'The address of the API.' },
      pollMs: { type: 'integer', minimum: 1, default: 500, description: 'How often to ask for the answer, in milliseconds.' },
    },
  },
  setup(gateway, { apiKey, baseUrl, pollMs }) {
    const keys = new ApiKeys(apiKey)
    const vendor = new Vendor(gateway.http, baseUrl, keys)
    gateway.add(Providers, {
      id: 'acme-jobs',
      capabilities: { tools: false, images: false, files: false },
      ...(keys.credentials && { credentials: keys.credentials }),
      generate: call => answer(vendor, pollMs, call),
    })
  },
})

async function* answer(
  vendor: Vendor,
  pollMs: number,
  { request, endpoint, credentialId, signal }: ProviderCall,
): AsyncGenerator<GenerationEvent> {
  const messages = request.input.flatMap(item => (item.type === 'message' ? [item] : []))
  const turns = messages.map(({ role, content }) => ({ role, text: content.map(part => textOfPart(part)).join('\n') }))
  const asked = { model: endpoint.upstreamModel, turns, limit: request.max_output_tokens }
  let job = await vendor.ask('POST', '/jobs', asked, credentialId, signal)
  while (job.state === 'waiting') {
    // Ends at once if the caller leaves. Core limits how long an attempt may take.
    await delay(pollMs, undefined, { signal })
    job = await vendor.ask('GET', `/jobs/${job.id}`, undefined, credentialId, signal)
  }
  if (job.state !== 'done' || typeof job.text !== 'string') throw failureInside(job)
  if (job.text !== '') yield { type: 'text', text: job.text }
  if (job.tokens) yield { type: 'usage', usage: { ...noUsage, uncachedInput: job.tokens.in, output: job.tokens.out } }
  yield { type: 'finish', reason: 'stop' }
}

interface Job {
  readonly id?: string
  readonly state?: string
  readonly text?: string
  readonly tokens?: { readonly in: number; readonly out: number }
}

const { failureFrom, failureInside } = failureReader({
  errorIn: body => ({ message: (body as { readonly problem?: string } | undefined)?.problem }),
  kindOf: (_, status) => failureKindOfStatus(status ?? 500),
})

class Vendor {
  readonly #http: HttpClient
  readonly #baseUrl: string
  readonly #keys: ApiKeys

  constructor(http: HttpClient, baseUrl: string, keys: ApiKeys) {
    this.#http = http
    this.#baseUrl = baseUrl
    this.#keys = keys
  }

  /** Throws only what core understands: `ProviderFailure`s, and the reason of the signal. */
  ask(method: 'GET' | 'POST', path: string, body: object | undefined, credentialId: string | undefined, signal: AbortSignal): Promise<Job> {
    const headers = { 'x-acme-key': this.#keys.secret(credentialId) ?? '' }
    const request = { method, url: `${this.#baseUrl}${path}`, headers, ...(body && { body: JSON.stringify(body) }) }
    return askJson(this.#http, request, signal, failureFrom)
  }
}
