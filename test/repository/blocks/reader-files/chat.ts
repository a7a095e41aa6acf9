// A library for WebSocket, and what a protocol over it needs.

import type { Duplex } from 'node:stream'
import { requestOf, TextSink } from './text.ts'

export interface Peer {
  close(code: number, reason: string): void
  on(event: 'message', receive: (text: string) => Promise<void>): void
  send(text: string): void
}

export declare const webSockets: {
  handleUpgrade(request: object, socket: Duplex, head: Uint8Array, open: (peer: Peer) => void): void
}

export const parse = requestOf

export class ChatSink extends TextSink {
  readonly peer: Peer

  constructor(peer: Peer) {
    super()
    this.peer = peer
  }
}
