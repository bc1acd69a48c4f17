import fs from 'node:fs'

/** The peak resident memory of the process or of its child process. NaN on systems other than Linux. */
export function residentMegabytes(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN
  const children = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  const pids = [pid, ...children.split(' ').filter(Boolean)]
  return Math.max(...pids.map(peakMegabytes))
}

function peakMegabytes(pid: number | string): number {
  const kilobytes = /VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kilobytes) / 1024)
}
