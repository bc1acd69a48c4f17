import { Button, Popover } from '@mantine/core'
import type { ReactNode } from 'react'
import { FilterChip, type FilterChipProps } from './FilterChip.tsx'
import styles from './filters.module.css'
import { FilterIcon } from './icons.tsx'

interface FiltersProps {
  /** The label for screen readers, such as "Filter the audit log". */
  label: string
  /** The chips, one for each filter that is set. */
  chips: FilterChipProps[]
  /**
   * The fields of all filters. Their lists open inside of them (`filter_list`), so that a choice leaves the fields
   * open.
   */
  children: ReactNode
}

export const filter_list = { withinPortal: false } as const

/** Shows filters behind one button, and those that are set as chips beside it. */
export const Filters = ({ label, chips, children }: FiltersProps) => (
  <search className={styles.filters} aria-label={label}>
    <Popover position="bottom-start" width={300} trapFocus>
      <Popover.Target>
        <Button variant="default" size="xs" leftSection={<FilterIcon size={14} />}>
          Filter
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <div className={styles.fields}>{children}</div>
      </Popover.Dropdown>
    </Popover>
    {chips.map((chip) => (
      <FilterChip key={chip.name} {...chip} />
    ))}
  </search>
)
