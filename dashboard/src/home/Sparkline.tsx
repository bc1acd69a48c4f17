import styles from './home.module.css'

const width = 100
const height = 30
const margin = 2

/** Draws the course of a figure, without axes. The line breaks where there is no figure. */
export function Sparkline({ values }: { values: (number | null)[] }) {
  const most = Math.max(1e-9, ...values.map((value) => value ?? 0))
  const step = width / Math.max(1, values.length - 1)
  const y = (value: number) => height - margin - (value / most) * (height - 2 * margin)
  const segments = toSegments(values)
  const lines = segments.map((points) => points.map(([at, value]) => `${at * step} ${y(value)}`).join('L'))
  const areas = segments.map((points, index) => {
    const [from = 0, to = 0] = [points[0]?.[0], points.at(-1)?.[0]]
    return `M${from * step} ${height}L${lines[index]}L${to * step} ${height}Z`
  })
  return (
    <svg
      className={styles.sparkline}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <path className={styles.area} d={areas.join('')} />
      <path className={styles.line} d={lines.map((line) => `M${line}`).join('')} vectorEffect="non-scaling-stroke" />
    </svg>
  )
}

type Point = [at: number, value: number]

function toSegments(values: (number | null)[]): Point[][] {
  const segments: Point[][] = [[]]
  values.forEach((value, at) => {
    if (value === null) segments.push([])
    else segments.at(-1)?.push([at, value])
  })
  // A single point becomes a short line, because it would not be drawn.
  return segments.filter((points) => points.length > 0).map((points) => (points.length > 1 ? points : twice(points)))
}

const twice = ([point]: Point[]): Point[] => (point ? [point, [point[0] + 0.2, point[1]]] : [])
