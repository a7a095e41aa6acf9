import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

export const keyBytes = 32

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

/** Undefined if the file does not exist. */
export function readKeyFile(path: string): Buffer | undefined {
  const text = read(path)
  return text === undefined ? undefined : parseMasterKey(text, `key file ${path}`)
}

/** Creates a key file, or reads the one that another process just created. */
export function makeKeyFile(path: string): Buffer {
  return parseMasterKey(create(path) ?? read(path) ?? '', `key file ${path}`)
}

function read(path: string): string | undefined {
  try {
    const { mode } = statSync(path)
    // On Windows, every file looks readable for all.
    if (process.platform !== 'win32' && mode & 0o077) {
      throw new Error(`key file ${path} can be read by others (mode ${(mode & 0o777).toString(8)}). Run: chmod 600 ${path}`)
    }
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code === undefined) throw error
    throw new Error(`key file ${path} cannot be read (${code}). Make it readable for this user, or set masterKey`, { cause: error })
  }
}

/** Undefined if another process created the file first. */
function create(path: string): string | undefined {
  const text = randomBytes(keyBytes).toString('base64')
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, `${text}\n`, { flag: 'wx', mode: 0o600, flush: true })
    return text
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
