import type { Carrier } from './carrier.ts'

/** Accepts and delivers every message at once. Nobody gets it. */
export const simulator: Carrier = {
  send: async (_at, { id }) => ({
    type: 'accepted',
    carrier_id: `simulated-${id}`,
    status: 'delivered',
    error: null,
    has_opted_out: false,
  }),
  find: async (_at, { id }) => [
    { carrier_id: `simulated-${id}`, status: 'delivered', error: null, has_opted_out: false },
  ],
}
