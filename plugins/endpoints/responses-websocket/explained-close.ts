import type { Peer } from 'crossws'
import { errorMessage } from './messages.ts'
import { tooLarge } from './socket-errors.ts'

/** The WebSocket of the package ws, which crossws brings. */
interface RawSocket {
  send(text: string): void
  close(code?: number, reason?: string | Buffer): void
}

const reasons: Readonly<Record<number, string>> = {
  1002: 'the frame breaks the WebSocket protocol',
  1007: 'the text is not UTF-8',
  1008: 'the message has too many fragments',
  1009: 'the message is too large',
}

/** The package closes a connection by itself after a bad frame, with a bare code. This adds the reason. */
export function explainCloses(peer: Peer, maxMessageBytes: number): void {
  const raw = peer.websocket as unknown as RawSocket
  const { close } = raw
  raw.close = (code, reason) => {
    if (code === 1009) raw.send(errorMessage(tooLarge(maxMessageBytes), undefined))
    close.call(raw, code, reason ?? (code === undefined ? undefined : reasons[code]))
  }
}
