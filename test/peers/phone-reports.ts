import type { Reports } from './phone-behaviour.ts'
import type { CallStatus } from './phone-call.ts'

/** The status callbacks of one call. */
export interface StatusReports {
  /** Sends it if the service has asked for such ones. */
  report: (status: CallStatus, form: Record<string, string>) => void
  /** Sends what is left. */
  finish: () => Promise<void>
}

const events: Partial<Record<CallStatus, string>> = {
  initiated: 'initiated',
  ringing: 'ringing',
  'in-progress': 'answered',
}

/** One is sent after the other. Without `wanted` the end is reported only, as for numbers that are called. */
export function openReports(
  { copies = 1, order = 'in_order' }: Reports,
  { wanted, send }: { wanted: string[]; send: (form: Record<string, string>) => Promise<unknown> },
): StatusReports {
  /** Until the call is over. */
  const held: Record<string, string>[] = []
  let sending: Promise<unknown> = Promise.resolve()
  let count = 0
  const sendNext = (form: Record<string, string>) => {
    sending = sending.then(() => send(form))
  }
  return {
    report(status, given) {
      const event = events[status] ?? 'completed'
      if (!(wanted.length > 0 ? wanted : ['completed']).includes(event)) return
      const form = {
        ...given,
        CallbackSource: 'call-progress-events',
        SequenceNumber: String(count),
        Timestamp: new Date().toUTCString(),
      }
      count += 1
      for (let copy = 0; copy < copies; copy += 1)
        if (order === 'reversed') held.unshift(form)
        else sendNext(form)
    },
    async finish() {
      for (const form of held.splice(0)) sendNext(form)
      await sending
    },
  }
}
