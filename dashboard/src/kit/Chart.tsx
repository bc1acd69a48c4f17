import { useElementSize } from '@mantine/hooks'
import { type PointerEvent, useState } from 'react'
import styles from './chart.module.css'
import { formatNumber, formatTime } from './format.ts'

/**
 * Plain SVG instead of a library: bars, steps, two axes and a tooltip are all that the pages need. Attributes of SVG
 * are no inline styles, so the Content-Security-Policy allows them.
 */
interface Series {
  name: string
  /** The number of the color, from --chart-1 to --chart-6. */
  color: 1 | 2 | 3 | 4 | 5 | 6
  /** The values, one for each interval. */
  values: number[]
  /** Whether a line goes through the values, instead of bars. */
  is_line?: boolean
  /** Whether the series is paler than the others, such as a forecast. */
  is_faint?: boolean
}

interface ChartProps {
  /** Says in one sentence, for screen readers, what the chart shows. A table with all values follows. */
  label: string
  /** The times at which intervals begin. */
  times: number[]
  interval_ms: number
  series: Series[]
  /** The times with a grey ground. */
  shaded?: { name: string; ranges: [number, number][] } | undefined
  /** The time at which a line is drawn. */
  now?: number | undefined
}

const height = 200
const [left, right, top, bottom] = [36, 8, 10, 22]
const tick_px = 84
const hour_ms = 3_600_000
const tick_hours = [1, 2, 3, 6, 12, 24, 48, 96, 168, 336, 672, 1_344, 2_688, 5_376, 10_752]

/** Draws values over time. */
export function Chart({ label, times, interval_ms, series, shaded, now }: ChartProps) {
  const { ref, width } = useElementSize()
  const [hovered, setHovered] = useState<number>()
  const [from = 0] = times
  const until = (times.at(-1) ?? 0) + interval_ms
  const inner = Math.max(1, width - left - right)
  const x = (time: number) => left + (inner * (Math.min(Math.max(time, from), until) - from)) / (until - from)
  const ticks = toTicks(Math.max(1, ...series.flatMap(({ values }) => values)))
  const y = (value: number) => height - bottom - ((height - top - bottom) * value) / (ticks.at(-1) ?? 1)
  const start = (index: number) => x(times[index] ?? until)
  const gap = inner / times.length > 4 ? 1 : 0
  const toBar = (index: number, at: number) =>
    `M${start(index)} ${height - bottom}V${at}H${start(index + 1) - gap}V${height - bottom}Z`
  const toStep = (index: number, at: number, is_first: boolean) =>
    `${is_first ? `M${start(index)} ${at}` : `V${at}`}H${start(index + 1)}`
  const hover = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>) => {
    const time = from + ((clientX - currentTarget.getBoundingClientRect().left - left) / inner) * (until - from)
    const index = times.findLastIndex((start) => start <= time)
    setHovered(index >= 0 && time < until ? index : undefined)
  }
  const hovered_time = hovered === undefined ? undefined : times[hovered]
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.legend}>
        {series.map(({ name, color, is_line, is_faint }) => (
          <span key={name} data-color={color} data-line={is_line} data-faint={is_faint}>
            {name}
          </span>
        ))}
        {shaded && shaded.ranges.length > 0 && <span data-shaded>{shaded.name}</span>}
      </figcaption>
      <div className={styles.plot} ref={ref}>
        {width > 0 && (
          <svg
            width={width}
            height={height}
            role="img"
            aria-label={label}
            onPointerMove={hover}
            onPointerLeave={() => setHovered(undefined)}
          >
            {shaded?.ranges.map(([start, end]) => (
              <rect
                key={start}
                className={styles.shaded}
                x={x(start)}
                y={top}
                width={x(end) - x(start)}
                height={height - top - bottom}
              />
            ))}
            {ticks.map((tick) => (
              <g key={tick} className={styles.tick}>
                <line x1={left} x2={width - right} y1={y(tick)} y2={y(tick)} />
                <text x={left - 8} y={y(tick) + 4} textAnchor="end">
                  {formatNumber(tick)}
                </text>
              </g>
            ))}
            {timeTicks(from, until, inner / tick_px).map((time) => (
              <text key={time} x={x(time)} y={height - 5} textAnchor="middle">
                {formatTick(time)}
              </text>
            ))}
            {series.map(({ name, color, values, is_line, is_faint }) => (
              <path
                key={name}
                data-color={color}
                data-faint={is_faint}
                className={is_line ? styles.line : styles.bars}
                d={values.map((value, index) => (is_line ? toStep : toBar)(index, y(value), index === 0)).join('')}
              />
            ))}
            {hovered_time !== undefined && (
              <rect
                className={styles.hovered}
                x={x(hovered_time)}
                y={top}
                width={x(hovered_time + interval_ms) - x(hovered_time)}
                height={height - top - bottom}
              />
            )}
            {now !== undefined && now > from && now < until && (
              <g className={styles.now}>
                <line x1={x(now)} x2={x(now)} y1={top - 4} y2={height - bottom} />
                <text x={x(now) + 4} y={top + 4}>
                  Now
                </text>
              </g>
            )}
          </svg>
        )}
        {hovered !== undefined && hovered_time !== undefined && (
          <div className={styles.tooltip} style={{ left: x(hovered_time) }} data-flipped={x(hovered_time) > width / 2}>
            <strong>{formatTime(new Date(hovered_time).toISOString())}</strong>
            {series.map(({ name, values }) => (
              <span key={name}>
                {name}: {formatNumber(values[hovered] ?? 0)}
              </span>
            ))}
          </div>
        )}
        <ValueTable label={label} times={times} series={series} />
      </div>
    </figure>
  )
}

const ValueTable = ({ label, times, series }: Pick<ChartProps, 'label' | 'times' | 'series'>) => (
  <div className={styles.values}>
    <table aria-label={label}>
      <thead>
        <tr>
          <th scope="col">Time</th>
          {series.map(({ name }) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {times.map((time, index) => (
          <tr key={time}>
            <th scope="row">{formatTime(new Date(time).toISOString())}</th>
            {series.map(({ name, values }) => (
              <td key={name}>{formatNumber(values[index] ?? 0)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** Returns 0 and at most five more ticks, at round numbers. */
function toTicks(most: number): number[] {
  const power = 10 ** Math.floor(Math.log10(most / 4))
  const step = Math.max(1, [1, 2, 5, 10].map((one) => one * power).find((one) => most / one <= 5) ?? most)
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step)
}

/** Returns ticks at whole hours or days of the browser's time zone. */
function timeTicks(from: number, until: number, ticks_max: number): number[] {
  const hours = tick_hours.find((step) => (until - from) / (step * hour_ms) <= ticks_max) ?? tick_hours.at(-1) ?? 1
  const date = new Date(from)
  date.setHours(0, 0, 0, 0)
  const ticks: number[] = []
  while (date.getTime() < until) {
    if (date.getTime() >= from) ticks.push(date.getTime())
    if (hours < 24) date.setHours(date.getHours() + hours)
    else date.setDate(date.getDate() + hours / 24)
  }
  return ticks
}

const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' })
const hour = new Intl.DateTimeFormat('en', { hour: 'numeric' })
const formatTick = (time: number): string => (new Date(time).getHours() === 0 ? day : hour).format(time)
