import fs from 'node:fs'

/** The peak resident memory of the process or of its child process. NaN on systems other than Linux. */
export const residentMegabytes = (pid: number): number => Math.round(largest(pid, /VmHWM:\s+(\d+)/) / 1024)

/** The resident memory now. */
export const residentKilobytes = (pid: number): number => largest(pid, /VmRSS:\s+(\d+)/)

function largest(pid: number, field: RegExp): number {
  if (process.platform !== 'linux') return Number.NaN
  const children = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  const pids = [String(pid), ...children.split(' ').filter(Boolean)]
  return Math.max(...pids.map((one) => Number(field.exec(fs.readFileSync(`/proc/${one}/status`, 'utf8'))?.[1])))
}
