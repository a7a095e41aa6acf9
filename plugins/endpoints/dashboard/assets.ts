import { hash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { ModuleSources } from './module-sources.ts'

/** A file as the browser gets it. */
export interface Asset {
  readonly type: string
  readonly etag: string
  readonly plain: Uint8Array<ArrayBuffer>
  readonly zipped: Uint8Array<ArrayBuffer>
  /** Its name changes whenever its content does. */
  readonly isLasting: boolean
}

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  ts: 'text/javascript; charset=utf-8',
}
const safePath = /^(?:[A-Za-z0-9_-]+\/)*[A-Za-z0-9_-][A-Za-z0-9._-]*\.(css|js|svg|ts)$/
const zip = promisify(gzip)

/**
 * The files of the browser part. The published package has it bundled; in the repository its modules are served one by one, with their types
 * stripped. A file is read again when it has changed.
 */
export class Assets {
  /** The module that starts the app. */
  readonly main: string
  readonly #folder: URL
  readonly #hasSources: boolean
  readonly #read = new Map<string, { readonly version: string; readonly asset: Promise<Asset> }>()
  #sources: Promise<ModuleSources> | undefined

  constructor(folder: URL) {
    this.#folder = folder
    this.#hasSources = existsSync(new URL('main.ts', folder))
    this.main = this.#hasSources ? 'app/main.ts' : 'app/main.js'
  }

  /** A file of the app, by its path in its folder. Undefined if there is none. */
  async get(path: string): Promise<Asset | undefined> {
    if (!safePath.test(path)) return undefined
    const library = this.#hasSources && path.startsWith('libraries/') ? (await this.#modules()).library(path) : undefined
    return await this.file(library ?? new URL(path, this.#folder), path)
  }

  /** Any file. `path`: where the browser has it, which relative imports start from. */
  async file(url: URL, path: string): Promise<Asset | undefined> {
    const found = statSync(url, { throwIfNoEntry: false })
    if (!found?.isFile()) return undefined
    const version = `${found.mtimeMs} ${found.size}`
    const known = this.#read.get(path)
    if (known?.version === version) return await known.asset
    const asset = this.#make(url, path)
    this.#read.set(path, { version, asset })
    return await asset
  }

  async #make(url: URL, path: string): Promise<Asset> {
    const type = types[path.slice(path.lastIndexOf('.') + 1)]!
    const bytes = await readFile(url)
    const isModule = url.pathname.endsWith('.ts') || (this.#hasSources && url.pathname.endsWith('js'))
    const text = isModule ? (await this.#modules()).served(bytes.toString(), url.pathname, path) : undefined
    const plain = text === undefined ? new Uint8Array(bytes) : new TextEncoder().encode(text)
    return {
      type,
      etag: `"${hash('sha256', plain, 'base64url').slice(0, 22)}"`,
      plain,
      zipped: new Uint8Array(await zip(plain)),
      isLasting: path.startsWith('chunks/'),
    }
  }

  #modules(): Promise<ModuleSources> {
    return (this.#sources ??= import('./module-sources.ts').then(({ ModuleSources }) => new ModuleSources()))
  }
}
