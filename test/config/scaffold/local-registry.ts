import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Manifest {
  readonly name: string
  readonly version: string
}

/** A registry on loopback that has some packed packages. For all others, it sends clients to the registry of npm. */
export class LocalRegistry implements AsyncDisposable {
  readonly #server: Server
  readonly #packages = new Map<string, { readonly manifest: Manifest; readonly tarball: Buffer }>()

  constructor(tarballs: readonly string[]) {
    for (const path of tarballs) {
      const manifest = JSON.parse(execFileSync('tar', ['-xzOf', path, 'package/package.json'], { encoding: 'utf8' })) as Manifest
      this.#packages.set(manifest.name, { manifest, tarball: readFileSync(path) })
    }
    this.#server = createServer((request, reply) => {
      const [name = '', isTarball] = decodeURIComponent(request.url ?? '/')
        .slice(1)
        .split('/-/')
      const found = this.#packages.get(name)
      if (!found) reply.writeHead(302, { location: `https://registry.npmjs.org${request.url}` }).end()
      else if (isTarball !== undefined) reply.writeHead(200, { 'content-type': 'application/octet-stream' }).end(found.tarball)
      else reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(this.#document(found)))
    })
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return this.#url
  }

  get #url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`
  }

  #document({ manifest, tarball }: { readonly manifest: Manifest; readonly tarball: Buffer }): object {
    const { name, version } = manifest
    const dist = {
      tarball: `${this.#url}${name}/-/${version}.tgz`,
      integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
    }
    return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
