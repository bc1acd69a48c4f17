import { atLater } from '../kit/at.ts'
import type { RowWork } from '../kit/work/rows.ts'
import { decide } from './dial/decide.ts'
import { table } from './rows.ts'
import { type AheadOptions, runCampaignAhead } from './simulate/ahead.ts'

/** The work of the dialer: one process at a time decides for a campaign. */
export const dialing = (options: AheadOptions): RowWork => ({
  table: table.name,
  begin:
    async (at, lease, { onProgress }) =>
    async () => {
      const later = atLater(at)
      return (await runCampaignAhead(later, lease, { ...options, onProgress })) ?? decide(later, lease)
    },
})
