import { errorCode } from '../problem.ts'

const codes = new Set([
  // Handles, of the process or of the machine.
  'EMFILE',
  'ENFILE',
  // Memory, buffers of the network, processes and threads.
  'ENOMEM',
  'ENOBUFS',
  'EAGAIN',
  'Z_MEM_ERROR',
  'ERR_WORKER_INIT_FAILED',
  // Room on the disk, or a disk that answers.
  'ENOSPC',
  'EDQUOT',
  'EIO',
])
const causes_max = 5

/** The machine lacks something, mostly for a while. What was asked for is not to blame, and can be tried again. */
export function isShortage(error: unknown): boolean {
  let at = error
  for (let causes = 0; at instanceof Error && causes <= causes_max; causes += 1) {
    if (codes.has(errorCode(at) ?? '')) return true
    at = at.cause
  }
  return false
}
