import { readdirSync, readFileSync } from 'node:fs'

/** The unit of CPU time in Linux, independent of the kernel's tick: USER_HZ. */
const tickMs = 10

/** User and system time of all threads of a process, and of the processes that it has started. */
export function cpuMs(pid: number): number {
  return sum(pid, ownCpuMs)
}

export function rssMb(pid: number): number {
  return sum(pid, ownRssMb)
}

function sum(pid: number, of: (pid: number) => number): number {
  return childrenOf(pid).reduce((total, child) => total + sum(child, of), of(pid))
}

/** Memory of a process and those that it has started. Pages that several have in common count once. */
export function pssMb(pid: number): number {
  return sum(pid, ownPssMb)
}

export function childrenOf(parent: number): readonly number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.filter(pid => parentOf(pid) === parent)
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(fieldsOf(pid)[1])
  } catch {
    // It has ended.
    return undefined
  }
}

function ownCpuMs(pid: number): number {
  const fields = fieldsOf(pid)
  return (Number(fields[11]) + Number(fields[12])) * tickMs
}

/** From the third on: the second is the command in parentheses, which may contain spaces. The 4th is the parent; utime and stime are the 14th and 15th. */
function fieldsOf(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function ownPssMb(pid: number): number {
  const line = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))
  return Number(line?.[1] ?? Number.NaN) / 1024
}

function ownRssMb(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line?.[1] ?? Number.NaN) / 1024
}
