import type { Forecast } from '../../../server/campaigns/forecast-schema.ts'
import type { Campaign } from '../../../server/campaigns/schema.ts'
import { formatCount, formatNumber } from '../kit/format.ts'
import styles from './campaigns.module.css'

type Interval = Forecast['timeline'][number]

const width = 900
const height = 180
const short = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' })
const formatShort = (time: string): string => short.format(new Date(time))

interface ForecastChartProps {
  timeline: Interval[]
  kind: Campaign['kind']
}

/** Starts as an area, and how many of them reach someone as a line. */
export function ForecastChart({ timeline, kind }: ForecastChartProps) {
  const most = Math.max(1, ...timeline.flatMap(({ starts, answered }) => [starts, answered]))
  const step = width / timeline.length
  const starts = toSteps(timeline.map((interval) => height - (interval.starts / most) * (height - 4)))
  const answers = toSteps(timeline.map(({ answered }) => height - (answered / most) * (height - 4)))
  const answered_name = kind === 'voice' ? 'Answered' : 'Replied'
  const sum = (name: 'starts' | 'answered') => timeline.reduce((all, interval) => all + interval[name], 0)
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.legend}>
        <span data-series="starts">Attempts</span>
        <span data-series="answered">{answered_name}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${formatCount(sum('starts'), 'attempt')}, ${formatNumber(sum('answered'))} ${answered_name.toLowerCase()}, at most ${formatCount(most, 'attempt')} in an interval`}
      >
        <path className={styles.starts} d={`M0 ${height} ${starts} V${height} Z`} />
        <path className={styles.answers} d={`M0 ${height} ${answers} V${height}`} />
        {timeline.map(({ at, starts, answered }, index) => (
          <rect key={at} className={styles.interval} x={index * step} y={0} width={step} height={height}>
            <title>
              {`${formatShort(at)}: ${formatCount(starts, 'attempt')}, ${formatNumber(answered)} ${answered_name.toLowerCase()}`}
            </title>
          </rect>
        ))}
      </svg>
      <div className={styles.axis}>
        {axisTimes(timeline).map((at) => (
          <span key={at}>{formatShort(at)}</span>
        ))}
      </div>
    </figure>
  )
}

/** A value holds for its whole interval. */
function toSteps(heights: number[]): string {
  const step = width / heights.length
  return heights.map((y, index) => `V${y} H${(index + 1) * step}`).join(' ')
}

const axisTimes = (timeline: Interval[]): string[] => {
  const wanted = [0, Math.floor(timeline.length / 2), timeline.length - 1]
  return [...new Set(wanted)].flatMap((index) => timeline[index]?.at ?? [])
}
