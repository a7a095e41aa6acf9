import type { HttpClient } from '../contracts/http-client.ts'

/** A plugin in JavaScript may forget the client. `caller`: the function that takes it. */
export function checkClient(caller: string, http: HttpClient | undefined): void {
  if (typeof http?.send !== 'function') throw new TypeError(`${caller} needs gateway.http as its third argument`)
}
