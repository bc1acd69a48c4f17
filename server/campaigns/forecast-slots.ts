import { newTool } from '../kit/at.ts'
import { openSlots } from '../kit/limits/slots.ts'

export const forecast_max_ms = 15_000

/** Forecasts of all workspaces share slots, because each uses a whole processor. */
export const forecastSlots = newTool(() =>
  openSlots({ running_max: 2, waiting_max: 50, wait_max_ms: 2 * forecast_max_ms }),
)
