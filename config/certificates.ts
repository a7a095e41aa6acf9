import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { ServedCertificate } from '../core/contracts/alert-rules.ts'
import { AssemblyError } from '../core/foundation/errors.ts'

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/**
 * Makes every TLS connection of this process also trust the certificates in a PEM file. Throws `AssemblyError` if the file has no valid
 * certificates.
 */
export function trustCertificates(file: string): void {
  const pem = read(file)
  const found = pem.match(certificate) ?? []
  if (found.length === 0 || !found.every(isReadable))
    throw new AssemblyError(`server.extraCaFile must be a PEM file of certificates ("-----BEGIN CERTIFICATE-----"), and ${file} is not.`)
  setDefaultCACertificates([...getCACertificates('default'), ...found])
}

function read(file: string): string {
  try {
    return readFileSync(resolve(file), 'utf8')
  } catch (error) {
    throw new AssemblyError(`server.extraCaFile names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}

/** The certificate in a PEM file, the first of its chain. Undefined if it cannot be read: whoever serves it says why. */
export function servedCertificate(file: string): ServedCertificate | undefined {
  try {
    const { fingerprint256, subject, subjectAltName, validTo } = new X509Certificate(readFileSync(file))
    const name = /(?:^|, )(?:DNS|IP Address):([^,]+)/.exec(subjectAltName ?? '')?.[1] ?? /(?:^|\n)CN=(.+)/.exec(subject)?.[1] ?? file
    return { name, fingerprint: fingerprint256, expiresAt: Date.parse(validTo) }
  } catch {
    return undefined
  }
}

function isReadable(pem: string): boolean {
  try {
    return new X509Certificate(pem) instanceof X509Certificate
  } catch {
    return false
  }
}
