// A queue that a reader has.

export interface Message {
  readonly authorization: string
  readonly body: string
  reply(text: string): void
}

export function subscribe(receive: (message: Message) => Promise<void>): void {
  void receive
}
