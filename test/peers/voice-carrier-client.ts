import type { CallToDial, Carrier } from '../../server/calls/carrier.ts'
import { simulator } from '../../server/lines/simulator/carrier.ts'

/** Dials at the carrier in the other process. Once it has accepted a dial, the simulator's people answer. */
export function openVoiceCarrierClient(url: string): Carrier {
  return {
    dial: async (at, call) => {
      if (!at.is_test) await dial(url, call)
      return simulator.dial(at, call)
    },
    reopen: simulator.reopen,
    find: async (at, call, now) => (at.is_test || (await isDialed(url, call.id)) ? simulator.find(at, call, now) : []),
  }
}

async function dial(url: string, { id: call_id, to, started_at }: CallToDial): Promise<void> {
  const { status } = await fetch(`${url}/calls`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ call_id, to, started_at }),
  })
  if (status !== 201) throw new Error(`the carrier has answered with ${status}`)
}

async function isDialed(url: string, call_id: string): Promise<boolean> {
  const { status } = await fetch(`${url}/calls/${call_id}`)
  if (status !== 200 && status !== 404) throw new Error(`the carrier has answered with ${status}`)
  return status === 200
}
