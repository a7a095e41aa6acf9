// A store on a database that a reader has.

import { definePlugin } from 'turnpike'
import type { KeyStore } from 'turnpike/stores'

export interface Database {
  readonly url: string
  age(ms: number): Promise<void>
  drop(): Promise<void>
}

export declare function createDatabase(): Promise<Database>

export declare const ShelfKeys: new (database: Database) => KeyStore

export const acmeShelf = definePlugin({
  name: 'acme-shelf',
  options: { type: 'object', additionalProperties: false, required: ['url'], properties: { url: { type: 'string' } } },
  setup() {},
})
