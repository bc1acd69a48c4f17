import { Popover, Select, TagsInput } from '@mantine/core'
import { filter_list } from '../kit/Filters.tsx'
import type { Target } from '../kit/lazy-menu.tsx'
import styles from './contacts.module.css'
import { type Source, source_names, sources } from './search.ts'
import { useContactSearch } from './useContactSearch.ts'

export function ContactFilterMenu({ target, suggested_tags }: { target: Target; suggested_tags: string[] }) {
  const { params, change } = useContactSearch()
  return (
    <Popover position="bottom-start" width={280} trapFocus returnFocus>
      <Popover.Target>{target}</Popover.Target>
      <Popover.Dropdown className={styles.filterMenu} aria-label="Filters">
        <TagsInput
          label="Tags"
          placeholder={params.tag ? '' : 'Any tag'}
          data={suggested_tags}
          comboboxProps={filter_list}
          value={params.tag ?? []}
          onChange={(tag) => change({ tag: tag.length > 0 ? tag : undefined })}
        />
        <Select
          label="Source"
          placeholder="Any source"
          data={sources.map((source) => ({ value: source, label: source_names[source] }))}
          comboboxProps={filter_list}
          value={params.source ?? null}
          onChange={(source) => change({ source: (source as Source | null) ?? undefined })}
          clearable
          clearButtonProps={{ 'aria-label': 'Clear source' }}
        />
      </Popover.Dropdown>
    </Popover>
  )
}
