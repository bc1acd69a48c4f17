import { CloseButton } from '@mantine/core'
import styles from './filter-chip.module.css'

export interface FilterChipProps {
  name: string
  value: string
  onRemove: () => void
}

/** Shows a filter of a list that is on. */
export const FilterChip = ({ name, value, onRemove }: FilterChipProps) => (
  <span className={styles.chip}>
    {name}: <span className={styles.value}>{value}</span>
    <CloseButton size="xs" aria-label={`Remove filter ${name}: ${value}`} onClick={onRemove} />
  </span>
)
