import { existsSync, readdirSync } from 'node:fs'

const library = ['/usr/lib', '/usr/lib64']
  .filter(folder => existsSync(folder))
  .flatMap(folder => [folder, ...readdirSync(folder).map(name => `${folder}/${name}`)])
  .map(folder => `${folder}/faketime/libfaketime.so.1`)
  .find(path => existsSync(path))

/** Processes whose clock is wrong, by libfaketime. */
export const fakeTime = {
  /** Why there can be none here; false if there can be some. Use it as `skip`. */
  missing: library === undefined && 'needs libfaketime: apt-get install faketime',
  /** The environment of a process whose clock is off by so much, such as `+5m`. Time passes as fast as elsewhere. */
  by(offset: string): Readonly<Record<string, string>> {
    return { LD_PRELOAD: library!, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1' }
  },
} as const
