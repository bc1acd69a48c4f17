import { useMemo } from 'react'
import type { Forecast } from '../../../server/campaigns/forecast-schema.ts'
import type { Campaign } from '../../../server/campaigns/schema.ts'
import { Chart } from '../kit/Chart.tsx'
import { formatCount, formatNumber } from '../kit/format.ts'
import { browser_zone } from '../kit/time-field.ts'
import { answeredName } from './campaign.ts'
import { closedRanges } from './hours.ts'

const minute_ms = 60_000

/** Returns the closed hours of the campaign, in its time zone or the browser's. */
export function useClosedHours({ windows, holidays, time_zone }: Campaign, [from, until]: [number, number]) {
  const zone = time_zone ?? browser_zone
  const key = JSON.stringify([windows, holidays, zone, from, until])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key holds all that it depends on
  const ranges = useMemo(() => closedRanges({ windows, holidays }, zone, [from, until]), [key])
  return { name: `Closed in ${zone}`, ranges }
}

interface ForecastChartProps {
  campaign: Campaign
  timeline: Forecast['timeline']
}

export function ForecastChart({ campaign, timeline }: ForecastChartProps) {
  const times = timeline.map(({ at }) => Date.parse(at))
  const [first = 0, second = first + minute_ms] = times
  const interval_ms = second - first
  const shaded = useClosedHours(campaign, [first, (times.at(-1) ?? first) + interval_ms])
  const starts = timeline.map((interval) => interval.starts)
  const answered = timeline.map((interval) => interval.answered)
  const answered_name = answeredName(campaign)
  const label = `${formatCount(sum(starts), 'attempt')}, ${formatNumber(sum(answered))} ${answered_name.toLowerCase()}`
  return (
    <Chart
      label={label}
      times={times}
      interval_ms={interval_ms}
      series={[
        { name: 'Attempts', color: 1, values: starts },
        { name: answered_name, color: 2, values: answered, is_line: true },
      ]}
      shaded={shaded}
    />
  )
}

export const sum = (numbers: number[]): number => numbers.reduce((all, number) => all + number, 0)
