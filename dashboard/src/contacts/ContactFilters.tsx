import { Button, CloseButton, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { FilterChip } from '../kit/FilterChip.tsx'
import { FilterIcon, SearchIcon } from '../kit/icons.tsx'
import { lazyMenu } from '../kit/lazy-menu.tsx'
import { useSearchText } from '../kit/useSearchText.ts'
import styles from './contacts.module.css'
import { source_names } from './search.ts'
import { useContactSearch } from './useContactSearch.ts'

const ContactFilterMenu = lazyMenu(async () => (await import('./ContactFilterMenu.tsx')).ContactFilterMenu, 'dialog')

const typing_ms = 200

export function ContactFilters({ suggested_tags, children }: { suggested_tags: string[]; children: ReactNode }) {
  const { params, change } = useContactSearch()
  const { tag = [], source } = params
  const removeTag = (removed: string) => {
    const left = tag.filter((one) => one !== removed)
    change({ tag: left.length > 0 ? left : undefined })
  }
  return (
    <search className={styles.filters} aria-label="Filter contacts">
      <SearchField />
      <ContactFilterMenu
        suggested_tags={suggested_tags}
        target={
          <Button variant="default" leftSection={<FilterIcon size={15} />}>
            Filter
          </Button>
        }
      />
      {tag.map((one) => (
        <FilterChip key={one} name="Tag" value={one} onRemove={() => removeTag(one)} />
      ))}
      {source && (
        <FilterChip name="Source" value={source_names[source]} onRemove={() => change({ source: undefined })} />
      )}
      {children}
    </search>
  )
}

/** Searches while typing. */
function SearchField() {
  const { params, change } = useContactSearch()
  const { text, type } = useSearchText({
    searched: params.search ?? '',
    typing_ms,
    onSearch: (search) => change({ search }, true),
  })
  return (
    <TextInput
      className={styles.search}
      type="search"
      aria-label="Search contacts"
      placeholder="Search by name, number, email or company"
      leftSection={<SearchIcon size={17} />}
      rightSection={text && <CloseButton size="sm" aria-label="Clear search" onClick={() => type('')} />}
      value={text}
      onChange={({ currentTarget }) => type(currentTarget.value)}
    />
  )
}
