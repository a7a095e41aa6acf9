import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { ConfigError } from './errors.ts'
import type { ServerOptions } from './schema.ts'

/** Throws a `ConfigError` that names the file at fault: one that cannot be read, or a certificate and a key that do not match. */
export function checkTls({ cert, key, passphrase }: NonNullable<ServerOptions['tls']>): void {
  const read = (option: string, path: string): Buffer => {
    try {
      return readFileSync(path)
    } catch (error) {
      throw new ConfigError(undefined, [`server.tls.${option}: ${path} cannot be read: ${(error as Error).message}`])
    }
  }
  const pem = { cert: read('cert', cert), key: read('key', key), passphrase }
  try {
    createSecureContext(pem)
  } catch (error) {
    throw new ConfigError(undefined, [
      `server.tls: ${cert} and ${key} cannot be used together: ${(error as Error).message}. Expected a certificate and its private key in PEM, and the passphrase of the key if it has one.`,
    ])
  }
}
