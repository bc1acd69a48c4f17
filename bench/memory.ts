import fs from 'node:fs'

/** The peak resident memory of the process or of its child process. NaN on systems other than Linux. */
export const residentMegabytes = (pid: number): number => Math.round(largest(pid, /VmHWM:\s+(\d+)/) / 1024)

/** The peak resident memory of each of its child processes. */
export const residentMegabytesOfEach = (pid: number): number[] =>
  childrenOf(pid).map((child) => Math.round(field(child, /VmHWM:\s+(\d+)/) / 1024))

/** The resident memory now. */
export const residentKilobytes = (pid: number): number => largest(pid, /VmRSS:\s+(\d+)/)

function largest(pid: number, pattern: RegExp): number {
  if (process.platform !== 'linux') return Number.NaN
  return Math.max(...[String(pid), ...childrenOf(pid)].map((one) => field(one, pattern)))
}

const childrenOf = (pid: number): string[] =>
  fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)

const field = (pid: string, pattern: RegExp): number =>
  Number(pattern.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
