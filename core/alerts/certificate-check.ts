import type { AlertClaim } from '../contracts/alert.ts'
import type { ServedCertificate } from '../contracts/alert-rules.ts'
import type { Announcer } from './announcer.ts'
import { durationText } from './words.ts'

const dayMs = 24 * 60 * 60 * 1000
const warnDays = [1, 7, 21] as const
/** The certificate is told of at its end, and never again. */
const keptMs = 60 * dayMs

/** Tells when the certificate that the gateway serves is near its end: once for all processes that serve the same. */
export async function checkCertificate(announcer: Announcer, { name, fingerprint, expiresAt }: ServedCertificate): Promise<void> {
  const leftMs = expiresAt - (await announcer.store.now())
  const reached = warnDays.findIndex(days => leftMs <= days * dayMs)
  if (reached < 0) return
  const claims = warnDays.slice(reached).map((days): AlertClaim => ({ name: `certificate/${fingerprint}/${days}`, forMs: keptMs }))
  const at = new Date(expiresAt).toISOString()
  const isOver = leftMs <= 0
  await announcer.tell(
    {
      kind: 'certificate',
      subject: `certificate:${name}`,
      org: null,
      severity: reached === 0 ? 'critical' : 'warning',
      title: isOver ? `The TLS certificate of ${name} has expired` : `The TLS certificate of ${name} expires in ${durationText(leftMs)}`,
      message: `${isOver ? 'Clients refuse it since' : 'Clients will refuse it from'} ${at}. Replace the files of server.tls, then reload or restart the gateway.`,
      facts: { name, expires_at: at, fingerprint },
    },
    claims,
  )
}
