import { Fragment, type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import { type Day, day_names, days, isOpen, paint, toRanges, type Week } from './hours.ts'
import styles from './week.module.css'

const hours = Array.from({ length: 24 }, (_, hour) => hour)
const hour_names = hours.map((hour) =>
  new Intl.DateTimeFormat('en', { hour: 'numeric' }).format(new Date(2027, 0, 1, hour)),
)
const moves: Record<string, [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}

interface WeekGridProps {
  week: Week
  onChange: (week: Week) => void
}

/** Edits the hours of a week by dragging over them. Arrow keys move, Space opens or closes an hour. */
export function WeekGrid({ week, onChange }: WeekGridProps) {
  const grid = useRef<HTMLDivElement>(null)
  const [current, setCurrent] = useState<[number, number]>([0, 9])
  // Dragging opens hours if this is true, and else closes them.
  const [brush, setBrush] = useState(true)
  // Dragging can enter several hours before the next render.
  const latest = useRef(week)
  latest.current = week
  const ranges = toRanges(week)
  const set = (day: Day, hour: number, is_open: boolean) => {
    latest.current = paint(latest.current, { day, hour }, is_open)
    onChange(latest.current)
  }
  const press = (event: PointerEvent<HTMLButtonElement>, day: Day, hour: number) => {
    // The capture is released, because touch would send all moves to the first cell.
    event.currentTarget.releasePointerCapture(event.pointerId)
    const is_open = isOpen(ranges[day], hour) !== true
    setBrush(is_open)
    setCurrent([days.indexOf(day), hour])
    set(day, hour, is_open)
  }
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const by = moves[event.key]
    if (!by) return
    event.preventDefault()
    const day = Math.min(days.length - 1, Math.max(0, current[0] + by[0]))
    const hour = Math.min(hours.length - 1, Math.max(0, current[1] + by[1]))
    setCurrent([day, hour])
    grid.current?.querySelector<HTMLElement>(`[data-cell="${day}-${hour}"]`)?.focus()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: the fieldset is around it
    <div className={styles.week} role="group" aria-label="Open hours of the week" ref={grid} onKeyDown={move}>
      <span />
      {hours.map((hour) => (
        <span key={hour} className={styles.hour} aria-hidden="true">
          {hour % 3 === 0 && hour_names[hour]}
        </span>
      ))}
      {days.map((day, index) => (
        <Fragment key={day}>
          <span className={styles.day} aria-hidden="true">
            {day_names[day].slice(0, 3)}
          </span>
          {hours.map((hour) => {
            const is_open = isOpen(ranges[day], hour)
            return (
              <button
                key={hour}
                type="button"
                className={styles.cell}
                data-cell={`${index}-${hour}`}
                aria-label={`${day_names[day]}, ${hour_names[hour]}`}
                aria-pressed={is_open}
                tabIndex={current[0] === index && current[1] === hour ? 0 : -1}
                onPointerDown={(event) => event.button === 0 && press(event, day, hour)}
                onPointerEnter={({ buttons }) => buttons === 1 && set(day, hour, brush)}
                onFocus={() => setCurrent([index, hour])}
                // A click without a pointer comes from the keyboard or a screen reader: a pointer has painted already.
                onClick={({ detail }) => detail === 0 && set(day, hour, is_open !== true)}
              />
            )
          })}
        </Fragment>
      ))}
    </div>
  )
}
