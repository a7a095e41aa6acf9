import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

export const keyBytes = 32
const readAgainMs = 20
const maxReads = 25

/** The content of a key file: a line with the current key, then lines `previous: <key>` and `mac: <key>` after a rotation. */
export interface KeyRing {
  readonly current: Buffer
  /** The newest first. */
  readonly previous: readonly Buffer[]
  readonly mac: Buffer | undefined
}

/** Parses 32 bytes in hex or base64. `source` names the place in errors. */
export function parseMasterKey(text: string, source: string): Buffer {
  const bytes = decode(text)
  if (bytes?.length !== keyBytes) {
    const found = bytes ? `${bytes.length} bytes` : 'other text'
    throw new Error(
      `${source}: expected ${keyBytes} bytes as hex or base64, got ${found}. Create one with: openssl rand -base64 ${keyBytes}`,
    )
  }
  return bytes
}

/** The keys in a file, if the file exists. */
export function readKeyFile(path: string): KeyRing | undefined {
  const text = read(path)
  return text === undefined ? undefined : parseRing(text, path)
}

/** Creates a key file, or reads the one that another process just created. */
export function makeKeyFile(path: string): KeyRing {
  return parseRing(create(path) ?? read(path) ?? '', path)
}

/** Puts a new key in front of the others. The file always holds either the old keys or all of them. */
export function rotateKeyFile(path: string): KeyRing {
  const ring = readKeyFile(path)
  if (!ring) throw new Error(`key file ${path} does not exist, so there is no key to rotate. The first start creates it`)
  const rotated = { current: randomBytes(keyBytes), previous: [ring.current, ...ring.previous], mac: ring.mac ?? ring.current }
  const next = `${path}.new`
  try {
    writeFileSync(next, textOf(rotated), { mode: 0o600, flush: true })
    chmodSync(next, 0o600)
    renameSync(next, path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`key file ${path} cannot be replaced (${code}). Make its folder writable`, { cause: error })
  }
  return rotated
}

/** Creates a key file with these keys. False if there is one already. */
export function writeKeyFile(path: string, ring: KeyRing): boolean {
  return create(path, textOf(ring)) !== undefined
}

function parseRing(text: string, path: string): KeyRing {
  const [current = '', ...others] = text.split(/\r?\n/).filter((line, index) => index === 0 || line.trim() !== '')
  const lines = others.map((line, index) => {
    const [, kind, key = ''] = /^(previous|mac): *(\S+)$/.exec(line.trim()) ?? []
    const place = `key file ${path}, line ${index + 2}`
    if (kind === undefined) throw new Error(`${place}: expected "previous: <key>" or "mac: <key>"`)
    return { kind, key: parseMasterKey(key, place) }
  })
  return {
    current: parseFirstLine(current, path),
    previous: lines.filter(({ kind }) => kind === 'previous').map(({ key }) => key),
    mac: lines.find(({ kind }) => kind === 'mac')?.key,
  }
}

/** A new key would not decrypt stored data, so the advice differs from that for options. */
function parseFirstLine(line: string, path: string): Buffer {
  const bytes = decode(line)
  if (bytes?.length === keyBytes) return bytes
  const found = line === '' ? 'nothing' : bytes ? `${bytes.length} bytes` : 'other text'
  throw new Error(
    `key file ${path}: expected ${keyBytes} bytes as hex or base64 in its first line, got ${found}. Restore the file from a backup, ` +
      'because no other key decrypts the stored data. If nothing is stored yet, delete the file, and the next start creates a new one',
  )
}

function textOf({ current, previous, mac }: KeyRing): string {
  const lines = [current.toString('base64'), ...previous.map(key => `previous: ${key.toString('base64')}`)]
  return `${[...lines, ...(mac ? [`mac: ${mac.toString('base64')}`] : [])].join('\n')}\n`
}

function read(path: string): string | undefined {
  try {
    const { mode } = statSync(path)
    // On Windows, every file looks readable to everyone.
    if (process.platform !== 'win32' && mode & 0o077) {
      throw new Error(`key file ${path} can be read by others (mode ${(mode & 0o777).toString(8)}). Run: chmod 600 ${path}`)
    }
    return readWritten(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code === undefined) throw error
    throw new Error(`key file ${path} cannot be read (${code}). Make it readable for this user, or set masterKey`, { cause: error })
  }
}

/** An empty file may be one that another process is just creating. */
function readWritten(path: string): string {
  for (let attempt = 1; ; attempt++) {
    const text = readFileSync(path, 'utf8').trim()
    if (text !== '' || attempt === maxReads) return text
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, readAgainMs)
  }
}

/** The text, unless another process created the file first. */
function create(path: string, text = `${randomBytes(keyBytes).toString('base64')}\n`): string | undefined {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, text, { flag: 'wx', mode: 0o600, flush: true })
    return text.trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return undefined
    throw new Error(`key file ${path} cannot be written (${code}). Make its folder writable, or set masterKey`, { cause: error })
  }
}

function decode(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined
}
