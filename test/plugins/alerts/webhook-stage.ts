import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { Webhook } from 'standardwebhooks'
import type { Alert } from '../../../core/admin.ts'
import { createLogger } from '../../../core/foundation/logger.ts'
import { Masks } from '../../../core/foundation/masks.ts'
import type { AlertTargetStore } from '../../../core/stores.ts'
import { UndiciClient } from '../../../core/upstream/http-client.ts'
import { Channel } from '../../../plugins/alerts/webhook/channel.ts'
import type { Recipient } from '../../../plugins/alerts/webhook/recipient.ts'
import { Recipients } from '../../../plugins/alerts/webhook/recipients.ts'
import { Sender } from '../../../plugins/alerts/webhook/sender.ts'
import { MemoryAlertOutbox } from '../../../plugins/stores/memory/alert-outbox.ts'
import { MemoryAlertTargets } from '../../../plugins/stores/memory/alert-targets.ts'
import { MemoryAlerts } from '../../../plugins/stores/memory/alerts.ts'
import { FakeClock } from '../../kit/set-up.ts'

export const secret = `whsec_${Buffer.from('a demo secret of thirty-two bytes').toString('base64')}`
export const pathToken = 'demo-path-token-4711'

export interface Got {
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: any
}

export interface Receiver {
  readonly url: string
  readonly port: number
  readonly got: Got[]
  /** Resolves once so many came. */
  until(count: number): Promise<readonly Got[]>
}

export type Answering = number | ((response: ServerResponse, count: number) => void)

/** A target that answers so, one after the other, and like the last one from then on. */
export async function receiver(t: Pick<Test, 'teardown'>, ...answers: readonly Answering[]): Promise<Receiver> {
  const got: Got[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk))
    request.on('end', () => {
      got.push({ headers: request.headers, text, body: JSON.parse(text) })
      const answer = answers[got.length - 1] ?? answers.at(-1) ?? 204
      if (typeof answer === 'number') response.writeHead(answer).end()
      else answer(response, got.length)
      server.emit('got')
    })
  })
  server.setMaxListeners(0)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void server.closeAllConnections())
  t.teardown(() => void server.close())
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook/${pathToken}`,
    port,
    got,
    async until(count) {
      while (got.length < count) await once(server, 'got')
      return got
    },
  }
}

export function verified({ headers, text }: Got, key = secret): any {
  return new Webhook(key).verify(text, headers as Record<string, string>)
}

export function alertOf(id: string, more: Partial<Alert> = {}): Alert {
  return {
    id,
    at: Date.UTC(2026, 0, 1),
    kind: 'cap',
    subject: `key:${id}`,
    org: 'acme',
    severity: 'warning',
    title: `API key "${id}" has used 80% of its spend cap`,
    message: '8.00 of 10.00 USD this day are spent.',
    facts: { level: 'key', percent: 80, spent_usd: 8, cap_usd: 10, period_ends_at: null },
    resolves: null,
    ...more,
  }
}

export function recipientOf(url: string, more: Partial<Recipient> = {}): Recipient {
  return {
    id: 'cfg_one',
    org: null,
    name: 'one',
    format: 'json',
    url,
    secrets: [secret],
    kinds: null,
    minSeverity: 'info',
    orgs: null,
    disabled: false,
    createdAt: 0,
    allowPrivate: true,
    ...more,
  }
}

export interface WebhookStage {
  readonly clock: FakeClock
  readonly alerts: MemoryAlerts
  readonly targets: AlertTargetStore
  readonly outbox: MemoryAlertOutbox
  readonly sender: Sender
  readonly recipients: Recipients
  readonly logs: readonly string[]
  /** Tells these alerts, and waits until nothing is under way. */
  tell(...told: readonly Alert[]): Promise<void>
  /** Lets time pass, sends what is due by then, and waits for it. */
  pass(milliseconds: number): Promise<void>
}

/** What sends, in memory, with a clock that stands still. */
export function stage(
  t: Pick<Test, 'teardown'>,
  operators: readonly Recipient[],
  more: { readonly timeoutMs?: number } = {},
): WebhookStage {
  // Signatures of another time are refused.
  const clock = new FakeClock(Date.now())
  const logs: string[] = []
  const log = createLogger('debug', new Masks(), line => void logs.push(line))
  const http = new UndiciClient()
  const [alerts, targets, outbox] = [new MemoryAlerts(clock), new MemoryAlertTargets(), new MemoryAlertOutbox(clock)]
  const recipients = new Recipients(operators, targets, outbox, false)
  const sender = new Sender({ outbox, alerts, recipients, http, clock, log, random: () => 0.5, ...more })
  const channel = new Channel(recipients, outbox, sender)
  sender.start()
  t.teardown(async () => {
    await sender.stop()
    await http.close()
  })
  return {
    clock,
    alerts,
    targets,
    outbox,
    sender,
    recipients,
    logs,
    async tell(...told) {
      for (const alert of told) {
        alerts.raise({ alert, channels: [] })
        await channel.deliver(alert, 'all', AbortSignal.timeout(30_000))
      }
      await sender.idle()
    },
    async pass(milliseconds) {
      clock.pass(milliseconds)
      sender.wake()
      await sender.idle()
    },
  }
}
