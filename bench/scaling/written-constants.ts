import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const file = new URL('constants.json', import.meta.url)

/** What was measured, by what it is about. `model.ts` computes with it. */
export function writtenConstants(): any {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}

export function writeConstants(about: 'postgres' | 'valkey' | 'row' | 'targets', measured: object): void {
  writeFileSync(file, `${JSON.stringify({ ...writtenConstants(), [about]: measured }, undefined, 2)}\n`)
}
