import { readFileSync } from 'node:fs'

/** The processes of the workers of a gateway, without the one in which they count together. Linux only. */
export function workersOf(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
  return children.filter(child => commandOf(child).includes('\0worker\0'))
}

/** Empty if it has ended. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
