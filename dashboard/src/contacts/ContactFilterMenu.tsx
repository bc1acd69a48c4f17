import { Popover, Select, TagsInput } from '@mantine/core'
import type { Target } from '../kit/lazy-menu.tsx'
import styles from './contacts.module.css'
import { type Source, source_names, sources } from './search.ts'
import { useContactSearch } from './useContactSearch.ts'

/** The lists of the fields are inside, so that a click in one doesn't close the popover. */
const comboboxProps = { withinPortal: false }

export function ContactFilterMenu({ target, suggested_tags }: { target: Target; suggested_tags: string[] }) {
  const { params, change } = useContactSearch()
  return (
    <Popover defaultOpened position="bottom-start" width={280} trapFocus returnFocus>
      <Popover.Target>{target}</Popover.Target>
      <Popover.Dropdown className={styles.filterMenu} aria-label="Filters">
        <TagsInput
          label="Tags"
          placeholder={params.tag ? '' : 'Any tag'}
          data={suggested_tags}
          comboboxProps={comboboxProps}
          value={params.tag ?? []}
          onChange={(tag) => change({ tag: tag.length > 0 ? tag : undefined })}
        />
        <Select
          label="Source"
          placeholder="Any source"
          data={sources.map((source) => ({ value: source, label: source_names[source] }))}
          comboboxProps={comboboxProps}
          value={params.source ?? null}
          onChange={(source) => change({ source: (source as Source | null) ?? undefined })}
          clearable
          clearButtonProps={{ 'aria-label': 'Clear source' }}
        />
      </Popover.Dropdown>
    </Popover>
  )
}
