import { Skeleton } from '@mantine/core'
import type { Overview } from '../../../server/overview/schema.ts'
import { formatCount } from '../kit/format.ts'
import styles from './home.module.css'

const width = 900
const height = 180
const gap = 4
const short = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })
const formatDay = (day: string): string => short.format(new Date(`${day}T00:00:00Z`))

/** Plain SVG: a chart library would be larger than the whole page. */
export function DayChart({ days }: { days: Overview['added_by_day'] | undefined }) {
  if (!days) return <Skeleton height={height} />
  const most = Math.max(1, ...days.map(({ total }) => total))
  const step = width / Math.max(1, days.length)
  const sum = days.reduce((all, { total }) => all + total, 0)
  return (
    <figure className={styles.chart}>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${formatCount(sum, 'contact')} added in the last ${days.length} days in UTC, at most ${most} in a day`}
      >
        {days.map(({ day, total }, index) => {
          const tall = total === 0 ? 2 : Math.max(4, (total / most) * (height - 4))
          return (
            <g key={day} className={styles.day}>
              <title>{`${formatDay(day)}: ${formatCount(total, 'contact')}`}</title>
              <rect className={styles.space} x={index * step} y={0} width={step} height={height} />
              <rect
                className={total === 0 ? styles.none : styles.some}
                x={index * step + gap / 2}
                y={height - tall}
                width={step - gap}
                height={tall}
                rx={3}
              />
            </g>
          )
        })}
      </svg>
      <figcaption className={styles.axis}>
        <span>{formatDay(days[0]?.day ?? '')}</span>
        <span>{formatDay(days.at(Math.floor(days.length / 2))?.day ?? '')}</span>
        <span>{formatDay(days.at(-1)?.day ?? '')}</span>
      </figcaption>
    </figure>
  )
}
