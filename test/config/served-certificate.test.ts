import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { servedCertificate } from '../../config/certificates.ts'

t.test('the name, the fingerprint and the end of a certificate, for alerts', async t => {
  const file = fileURLToPath(import.meta.resolve('../fixtures/tls/certificate.pem'))
  const { fingerprint256, validTo } = new X509Certificate(readFileSync(file))
  t.same(servedCertificate(file), { name: 'localhost', fingerprint: fingerprint256, expiresAt: Date.parse(validTo) })
})

t.test('whoever serves a file that is none says so, so alerts need not', async t => {
  const folder = t.testdir({ 'not.pem': 'hello' })
  t.equal(servedCertificate(join(folder, 'not.pem')), undefined)
  t.equal(servedCertificate(join(folder, 'missing.pem')), undefined)
})
