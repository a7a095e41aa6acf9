import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Assets } from '../../plugins/endpoints/dashboard/assets.ts'
import { securityHeaders } from '../../plugins/endpoints/dashboard/page.ts'
import { ConfigError } from '../errors.ts'
import type { Inspector } from './inspector/inspector.ts'
import { inspectorHtml } from './inspector-html.ts'
import { secretRefusal, siteRefusal, type Refusal } from './inspector-guard.ts'

const address = '127.0.0.1'
export const usualInspectorPort = 8082

/** Serves the page of the inspector, on a listener of its own that other machines cannot reach. No gateway serves it. */
export class InspectorServer {
  readonly #inspector: Inspector
  readonly #secret = randomBytes(24).toString('base64url')
  readonly #assets = new Assets(new URL('page/', import.meta.url))
  readonly #server: Server
  #port = 0

  private constructor(inspector: Inspector) {
    this.#inspector = inspector
    this.#server = createServer((request, response) => void this.#answer(request, response))
    // The process may end without it.
    this.#server.unref()
  }

  /** `port`: undefined takes the usual one or, if that is taken, any. */
  static async open(inspector: Inspector, port: number | undefined): Promise<InspectorServer> {
    const opened = new InspectorServer(inspector)
    try {
      await opened.#listen(port ?? usualInspectorPort)
    } catch (error) {
      if (port !== undefined) throw cannotListen(port, error)
      await opened.#listen(0)
    }
    return opened
  }

  /** The address of the page, with the secret of this run in the part that browsers keep to themselves. */
  get url(): string {
    return `http://${address}:${this.#port}/#${this.#secret}`
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #listen(port: number): Promise<void> {
    await once(this.#server.listen(port, address), 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const refusal = siteRefusal(request, [`${address}:${this.#port}`, `localhost:${this.#port}`])
      if (refusal) return refuse(response, refusal)
      const { pathname } = new URL(request.url!, `http://${address}`)
      await (pathname.startsWith('/api/') ? this.#answerApi(pathname, request, response) : this.#answerFile(pathname, request, response))
    } catch {
      if (!response.headersSent) send(response, 500, 'text/plain; charset=utf-8', 'The inspector failed.')
      else response.destroy()
    }
  }

  #answerApi(path: string, request: IncomingMessage, response: ServerResponse): void {
    const refusal = secretRefusal(request, this.#secret)
    if (refusal) return refuse(response, refusal)
    const { method } = request
    if (path === '/api/requests' && method === 'DELETE') {
      this.#inspector.clear()
      return send(response, 200, json, '{}')
    }
    if (method !== 'GET') return refuse(response, { status: 405, message: `${method} is not possible here.` })
    if (path === '/api/requests') return send(response, 200, json, JSON.stringify(this.#inspector.list()))
    const [, id] = /^\/api\/requests\/([\w-]+)$/.exec(path) ?? []
    const found = id === undefined ? undefined : this.#inspector.find(id)
    send(response, found ? 200 : 404, json, JSON.stringify(found ?? { error: 'There is no such request, or no longer.' }))
  }

  async #answerFile(path: string, { method }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (method !== 'GET' && method !== 'HEAD') return refuse(response, { status: 405, message: `${method} is not possible here.` })
    if (path === '/') return send(response, 200, 'text/html; charset=utf-8', inspectorHtml(this.#assets.main))
    const asset = path.startsWith('/app/') ? await this.#assets.get(path.slice('/app/'.length)) : undefined
    if (!asset) return send(response, 404, 'text/plain; charset=utf-8', 'There is no such page.')
    send(response, 200, asset.type, asset.plain)
  }
}

const json = 'application/json; charset=utf-8'

function refuse(response: ServerResponse, { status, message }: Refusal): void {
  send(response, status, 'text/plain; charset=utf-8', message)
}

function send(response: ServerResponse, status: number, type: string, body: string | Uint8Array): void {
  response.writeHead(status, { ...securityHeaders, 'cache-control': 'no-store', 'content-type': type }).end(body)
}

function cannotListen(port: number, error: unknown): ConfigError {
  const { code } = error as NodeJS.ErrnoException
  const reason = code === 'EADDRINUSE' ? 'another program uses it' : (error as Error).message
  return new ConfigError(undefined, [
    `The inspector cannot listen on ${address}:${port}: ${reason}. Name another port with --inspector-port, or leave the inspector out with --no-inspector`,
  ])
}
