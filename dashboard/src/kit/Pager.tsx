import { Button } from '@mantine/core'
import { useEffect } from 'react'
import { formatNumber } from './format.ts'
import type { Pagination } from './request.ts'
import styles from './table.module.css'

/** Whether the page begins after the last row, as in an old link. */
export const isPastEnd = ({ total, offset }: Pagination): boolean => total > 0 && offset >= total

interface PagerProps {
  pagination: Pagination
  /** Is called with the number of the page, which begins at 1. */
  onChange: (page: number, replace: boolean) => void
}

/** Shows "1–50 of 538", and the pages before and after. Goes to the last page instead of one past the end. */
export function Pager({ pagination, onChange }: PagerProps) {
  const { total, limit, offset } = pagination
  const page = Math.floor(offset / limit) + 1
  const last = Math.max(1, Math.ceil(total / limit))
  const is_past_end = isPastEnd(pagination)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `onChange` is another function each time
  useEffect(() => {
    if (is_past_end) onChange(last, true)
  }, [is_past_end, last])
  if (total === 0 || is_past_end || last === 1) return null
  const open = (to: number) => {
    onChange(to, false)
    scrollTo(0, 0)
  }
  return (
    <nav className={styles.pager} aria-label="Pagination">
      <span>
        {formatNumber(offset + 1)}–{formatNumber(Math.min(total, offset + limit))} of {formatNumber(total)}
      </span>
      <div>
        <Button size="xs" variant="default" disabled={page === 1} onClick={() => open(page - 1)}>
          Previous page
        </Button>
        <Button size="xs" variant="default" disabled={page === last} onClick={() => open(page + 1)}>
          Next page
        </Button>
      </div>
    </nav>
  )
}
