import { setTimeout as delay } from 'node:timers/promises'
import type { TurnpikeProcess } from '../../kit/turnpike-process.ts'

/** Lines of the log with this message. */
export function logged(gateway: TurnpikeProcess, message: RegExp): readonly Readonly<Record<string, unknown>>[] {
  const lines = gateway.stderr.split('\n').filter(line => line.startsWith('{') && line.endsWith('}'))
  return lines.map(line => JSON.parse(line)).filter(line => message.test(line.message))
}

export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(20)
}

/** A stream that has begun. Resolves with a function that reads it to its end. */
export async function slowStream(url: string, key: string): Promise<() => Promise<string>> {
  const reply = await fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/slow', input: 'first 10 between 100 pieces 8', stream: true }),
  })
  const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = (await reader.read()).value ?? ''
  return async () => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text
      text += value
    }
  }
}
