import { mkdir, open, readdir, rename, rm, type FileHandle } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'

export interface RotatedFileOptions {
  readonly path: string
  readonly maxBytes: number
  readonly daily: boolean
  readonly keepFiles: number
}

const dayMs = 24 * 60 * 60 * 1000

/** A file of lines. When it is full or the day is over, it is renamed to `<name>.<time><extension>`. */
export class RotatedFile {
  readonly #options: RotatedFileOptions
  #handle: FileHandle | undefined
  #bytes = 0
  /** The day of the last line, in days since the epoch. */
  #day = 0
  #renamedAt = 0

  constructor(options: RotatedFileOptions) {
    this.#options = options
  }

  /** Creates the file if needed. Throws with the path if it cannot be written. */
  async open(): Promise<FileHandle> {
    if (this.#handle) return this.#handle
    const { path } = this.#options
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const handle = await open(path, 'a+', 0o600)
    const { size, mtimeMs } = await handle.stat()
    this.#bytes = size
    this.#day = Math.floor(mtimeMs / dayMs)
    // If a process died in the middle of a line, the next line must still be intact.
    if (size > 0 && (await handle.read(Buffer.alloc(1), 0, 1, size - 1)).buffer[0] !== newline) await handle.write('\n')
    return (this.#handle = handle)
  }

  /** `now` is in milliseconds since the epoch. One call at a time. */
  async append(lines: readonly string[], now: number): Promise<void> {
    await this.open()
    let text = ''
    for (const line of lines) {
      if (this.#isDue(this.#bytes + Buffer.byteLength(text), Buffer.byteLength(line), now)) {
        await this.#write(text)
        text = ''
        await this.#rotate(now)
      }
      this.#day = Math.floor(now / dayMs)
      text += line
    }
    await this.#write(text)
  }

  async close(): Promise<void> {
    await this.#handle?.close()
    this.#handle = undefined
  }

  #isDue(bytes: number, moreBytes: number, now: number): boolean {
    const { maxBytes, daily } = this.#options
    return bytes > 0 && (bytes + moreBytes > maxBytes || (daily && Math.floor(now / dayMs) !== this.#day))
  }

  async #write(text: string): Promise<void> {
    if (text === '') return
    const bytes = Buffer.from(text)
    await (await this.open()).appendFile(bytes)
    this.#bytes += bytes.length
  }

  async #rotate(now: number): Promise<void> {
    const { path, keepFiles } = this.#options
    await this.close()
    const extension = extname(path)
    const stem = basename(path, extension)
    const others = await readdir(dirname(path))
    // Several files may fill up within one millisecond.
    let at = Math.max(now, this.#renamedAt + 1)
    const nameAt = (): string => `${stem}.${new Date(at).toISOString().replaceAll(':', '-')}${extension}`
    while (others.includes(nameAt())) at++
    this.#renamedAt = at
    await rename(path, join(dirname(path), nameAt()))
    const renamed = [...others, nameAt()].filter(each => isRenamed(each, stem, extension)).toSorted()
    for (const old of renamed.slice(0, -keepFiles)) await rm(join(dirname(path), old), { force: true })
    await this.open()
  }
}

const newline = 10

function isRenamed(name: string, stem: string, extension: string): boolean {
  const middle = name.slice(stem.length, name.length - extension.length)
  return name.startsWith(stem) && name.endsWith(extension) && /^\.\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/.test(middle)
}
