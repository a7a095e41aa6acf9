import { checks, type Check, type Report } from './checks.ts'

interface Told extends Report {
  readonly vendor: string
}

/** Clients by checks: `ok` if a check passed with every vendor, else the vendors with which it failed. */
export class Table {
  readonly #rows = new Map<string, Told[]>()

  add(client: string, vendor: string, reports: readonly Report[]): void {
    const row = this.#rows.get(client) ?? []
    this.#rows.set(client, [...row, ...reports.map(report => ({ ...report, vendor }))])
  }

  get passed(): number {
    return this.#count(({ failure, absent }) => failure === undefined && absent === undefined)
  }

  get failed(): number {
    return this.#count(({ failure }) => failure !== undefined)
  }

  text(): string {
    const rows = [...this.#rows].map(([client, row]) => [client, ...checks.map(check => cell(row, check))])
    const all = [['client', ...checks], ...rows]
    const widths = all[0]!.map((_, column) => Math.max(...all.map(row => row[column]!.length)))
    return all
      .map(row =>
        row
          .map((text, column) => text.padEnd(widths[column]!))
          .join('  ')
          .trimEnd(),
      )
      .join('\n')
  }

  #count(counts: (told: Told) => boolean): number {
    return [...this.#rows.values()].flat().filter(counts).length
  }
}

function cell(row: readonly Told[], check: Check): string {
  const told = row.filter(each => each.check === check)
  const failed = told.filter(({ failure }) => failure !== undefined)
  const vendors = new Set(failed.map(({ vendor }) => vendor))
  if (vendors.size > 0)
    return vendors.size === new Set(row.map(({ vendor }) => vendor)).size ? 'FAILED' : `FAILED ${[...vendors].join(' ')}`
  return told.every(({ absent }) => absent !== undefined) ? '–' : 'ok'
}
