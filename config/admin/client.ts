import { isObject, parseJson, type JsonObject } from '../../core/index.ts'
import admin from '../../plugins/endpoints/admin/index.ts'
import type { ConfigOption } from '../command.ts'
import { optionalEnv } from '../env.ts'
import { ConfigError } from '../errors.ts'
import { adminAddress, adminUrl } from '../listen-admin.ts'
import { loadConfig, type LoadedConfig } from '../load.ts'
import { openGateway } from '../open-gateway.ts'

export interface AdminOptions extends ConfigOption {
  readonly url?: string
  readonly json?: boolean
}

/** Calls the admin API, of a running gateway or of one in this process. */
export interface AdminClient {
  /** The file of the config, and whether its keys survive this process. Absent for a running gateway. */
  readonly local: { readonly file: string; readonly persistent: boolean } | undefined
  /** Throws a `ConfigError` with the API's message. */
  call(method: string, path: string, body?: JsonObject): Promise<JsonObject>
  /** The object at a path. Undefined for a 404. */
  find(path: string): Promise<JsonObject | undefined>
  /** Writes a streamed reply. */
  pipe(path: string, write: (text: string) => void): Promise<void>
  /** Every entry of a list. */
  all(path: string): Promise<readonly JsonObject[]>
}

type Send = (path: string, init: RequestInit) => Promise<Response>

/**
 * Runs with the gateway at `--url`; or with the one of the config, if `GATEWAY_ADMIN_TOKEN` is set and it answers; or with the stores of
 * the config, in this process. `createFiles`: true to create stores that do not exist yet.
 */
export async function withAdmin(
  options: AdminOptions,
  run: (client: AdminClient) => Promise<void>,
  { createFiles = false }: { readonly createFiles?: boolean } = {},
): Promise<void> {
  const token = optionalEnv('GATEWAY_ADMIN_TOKEN')
  if (options.url !== undefined) {
    if (token === undefined) throw new ConfigError(undefined, ['--url needs an admin token. Set GATEWAY_ADMIN_TOKEN to one.'])
    return await run(clientOf(remote(options.url, token), undefined))
  }
  const config = await loadConfig(options.config)
  const address = adminAddress(config.server)
  const sendsTo = token !== undefined && address && remote(adminUrl(address, config.server.tls), token)
  if (sendsTo && (await answers(sendsTo))) return await run(clientOf(sendsTo, undefined))
  await inProcess(config, createFiles, run)
}

async function inProcess(config: LoadedConfig, createFiles: boolean, run: (client: AdminClient) => Promise<void>): Promise<void> {
  const gateway = await openGateway(withAdminApi(config), { logLevel: 'warn', createFiles, serves: false })
  try {
    const { app, localToken } = gateway.admin!
    const send: Send = async (path, init) =>
      await app.h3.request(path, { ...init, headers: { ...init.headers, authorization: `Bearer ${localToken}` } })
    await run(clientOf(send, { file: config.file, persistent: gateway.keys.persistent }))
  } finally {
    await gateway.stop()
  }
}

/** Commands use the API even if no listener serves it. */
export function withAdminApi(config: LoadedConfig): LoadedConfig {
  const hasAdmin = config.plugins.some(({ plugin }) => plugin.name === 'admin')
  return hasAdmin ? config : { ...config, plugins: [...config.plugins, admin({})] }
}

const certificateFault = /CERT|UNABLE_TO_VERIFY/

function remote(url: string, token: string): Send {
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new ConfigError(undefined, [`--url must be a URL such as http://127.0.0.1:8081, got ${url}.`])
  const base = url.replace(/\/+$/, '').replace(/\/admin\/v1$/, '')
  return async (path, init) => {
    try {
      return await fetch(`${base}${path}`, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } })
    } catch (cause) {
      const { code } = ((cause as Error).cause ?? {}) as { readonly code?: string }
      const advice = certificateFault.test(code ?? '')
        ? 'Its certificate is not trusted. Set NODE_EXTRA_CA_CERTS to a PEM file with the certificate of its authority, and use a name from the certificate.'
        : 'Check the URL, and that the gateway is running.'
      throw new ConfigError(undefined, [`The admin API at ${base} does not answer${code === undefined ? '' : ` (${code})`}. ${advice}`])
    }
  }
}

async function answers(send: Send): Promise<boolean> {
  try {
    await (await send('/admin/openapi.json', { method: 'HEAD' })).arrayBuffer()
    return true
  } catch {
    return false
  }
}

function clientOf(send: Send, local: AdminClient['local']): AdminClient {
  const request = async (method: string, path: string, body?: JsonObject): Promise<Response> => {
    // In an address, these mean another path.
    const [, dots] = /\/(\.\.?)(?:[/?]|$)/.exec(path) ?? []
    if (dots !== undefined) throw new ConfigError(undefined, [`Expected an id or a name, got ${dots}`])
    return await send(`/admin/v1${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
  }
  const call: AdminClient['call'] = async (method, path, body) => await jsonOf(await request(method, path, body))
  return {
    local,
    call,
    async find(path) {
      const reply = await request('GET', path)
      if (reply.status !== 404) return await jsonOf(reply)
      await reply.arrayBuffer()
      return undefined
    },
    async pipe(path, write) {
      const reply = await request('GET', path)
      if (!reply.ok || !reply.body) return void (await jsonOf(reply))
      for await (const text of reply.body.pipeThrough(new TextDecoderStream())) write(text)
    },
    async all(path) {
      const entries: JsonObject[] = []
      for (let cursor: unknown = ''; ;) {
        const separator = path.includes('?') ? '&' : '?'
        const page = await call('GET', `${path}${separator}limit=100${cursor === '' ? '' : `&cursor=${String(cursor)}`}`)
        if (!Array.isArray(page['data']))
          throw new ConfigError(undefined, ['The server that answered is not the admin API. Check the URL.'])
        entries.push(...(page['data'] as readonly JsonObject[]))
        if (page['has_more'] !== true) return entries
        cursor = page['next_cursor']
      }
    },
  }
}

async function jsonOf(reply: Response): Promise<JsonObject> {
  const text = await reply.text()
  const body = parseJson(text)
  if (reply.ok && isObject(body)) return body
  const error = isObject(body) ? body['error'] : undefined
  // The admin API has every path that commands ask for, and its 404 names the id. So this is another server, such as the public API.
  const isElsewhere = reply.status === 404 && isObject(error) && error['param'] === null
  if (!isElsewhere && isObject(error) && typeof error['message'] === 'string') throw new ConfigError(undefined, [error['message']])
  throw new ConfigError(undefined, [`The server that answered with status ${reply.status} is not the admin API. Check the URL.`])
}
