import { openTurns, type Turns } from '../kit/limits/turns.ts'

export const forecast_max_ms = 15_000

declare module '../kit/at.ts' {
  interface Tools {
    /** Forecasts of all workspaces take turns, because each uses a whole processor. */
    forecast_turns: Turns
  }
}

export const openForecastTurns = (): Turns =>
  openTurns({ running_max: 2, waiting_max: 50, wait_max_ms: 2 * forecast_max_ms })
