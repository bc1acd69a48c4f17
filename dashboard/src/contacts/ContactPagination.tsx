import { Pagination } from '@mantine/core'
import { formatNumber } from '../kit/format.ts'
import type { Pagination as PaginationProps } from '../kit/request.ts'
import styles from './contacts.module.css'
import { useContactSearch } from './useContactSearch.ts'

const control_names = { first: 'First page', last: 'Last page', next: 'Next page', previous: 'Previous page' }

export function ContactPagination({ total, limit, offset }: PaginationProps) {
  const { params, change } = useContactSearch()
  if (total <= limit && offset === 0) return null
  const until = Math.min(total, offset + limit)
  return (
    <nav className={styles.pages} aria-label="Pagination">
      <span className={styles.range}>
        {total === 0 ? 0 : formatNumber(offset + 1)}–{formatNumber(until)} of {formatNumber(total)}
      </span>
      <Pagination
        size="sm"
        total={Math.max(1, Math.ceil(total / limit))}
        value={params.page ?? 1}
        onChange={(page) => {
          change({ page: page > 1 ? page : undefined })
          scrollTo(0, 0)
        }}
        getItemProps={(page) => ({ 'aria-label': `Page ${page}` })}
        getControlProps={(control) => ({ 'aria-label': control_names[control] })}
      />
    </nav>
  )
}
