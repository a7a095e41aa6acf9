import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const file = new URL('constants.json', import.meta.url)

/** The measured costs, by subject. `model.ts` computes with them. */
export function writtenConstants(): any {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}

export function writeConstants(about: 'postgres' | 'valkey' | 'row' | 'targets', measured: object): void {
  writeFileSync(file, `${JSON.stringify({ ...writtenConstants(), [about]: measured }, undefined, 2)}\n`)
}
