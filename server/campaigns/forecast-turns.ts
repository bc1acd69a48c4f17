import { newTool } from '../kit/at.ts'
import { openTurns } from '../kit/limits/turns.ts'

export const forecast_max_ms = 15_000

/** Forecasts of all workspaces take turns, because each uses a whole processor. */
export const forecastTurns = newTool(() =>
  openTurns({ running_max: 2, waiting_max: 50, wait_max_ms: 2 * forecast_max_ms }),
)
