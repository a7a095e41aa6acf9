// Keeps the audit trail in a file of JSON lines.

import { appendFile, readFile } from 'node:fs/promises'
import { definePlugin } from 'turnpike'
import { AuditTrail, type AuditEntry, type AuditFilter, type PageQuery } from 'turnpike/stores'

export class AuditFile implements AuditTrail {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  async add(entry: AuditEntry): Promise<void> {
    await appendFile(this.#path, `${JSON.stringify(entry)}\n`)
  }

  async page({ org, actor, target, from = -Infinity, to = Infinity }: AuditFilter, { limit, after }: PageQuery) {
    const lines = (await readFile(this.#path, { encoding: 'utf8', flag: 'a+' })).split('\n').filter(line => line !== '')
    return lines
      .map(line => JSON.parse(line) as AuditEntry)
      .filter(
        entry =>
          (org === undefined || entry.org === org) &&
          (actor === undefined || entry.actor === actor) &&
          (target === undefined || entry.target === target) &&
          entry.at >= from &&
          entry.at < to,
      )
      .sort((a, b) => order(b, a))
      .filter(entry => !after || order(entry, after) < 0)
      .slice(0, limit)
  }
}

/** By time, and by id where two entries have the same time. */
function order(a: { readonly at: number; readonly id: string }, b: { readonly at: number; readonly id: string }): number {
  return a.at - b.at || (a.id < b.id ? -1 : Number(a.id > b.id))
}

export default definePlugin({
  name: 'acme-audit',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['file'],
    properties: { file: { type: 'string', minLength: 1, description: 'The file to append to.' } },
  },
  provides: [AuditTrail],
  setup(gateway, { file }) {
    gateway.provide(AuditTrail, new AuditFile(gateway.resolvePath(file)))
  },
})
