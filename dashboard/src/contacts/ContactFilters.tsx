import { CloseButton, Select, TagsInput, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { SearchIcon } from '../kit/icons.tsx'
import styles from './contacts.module.css'
import { type Source, source_names, sources } from './search.ts'
import { useContactSearch } from './useContactSearch.ts'

const typing_ms = 200

export function ContactFilters({ suggested_tags, children }: { suggested_tags: string[]; children: ReactNode }) {
  const { params, change } = useContactSearch()
  return (
    <search className={styles.filters} aria-label="Filter contacts">
      <SearchField />
      <TagsInput
        aria-label="Tags"
        placeholder={params.tag ? '' : 'Any tag'}
        data={suggested_tags}
        value={params.tag ?? []}
        onChange={(tag) => change({ tag: tag.length > 0 ? tag : undefined })}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear tags' }}
      />
      <Select
        aria-label="Source"
        placeholder="Any source"
        data={sources.map((source) => ({ value: source, label: source_names[source] }))}
        value={params.source ?? null}
        onChange={(source) => change({ source: (source as Source | null) ?? undefined })}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear source' }}
      />
      {children}
    </search>
  )
}

/** Searches while typing. */
function SearchField() {
  const { params, change } = useContactSearch()
  const [text, setText] = useState(params.search ?? '')
  const sent = useRef(params.search ?? '')
  const search = useDebouncedCallback((value: string) => {
    sent.current = value
    change({ search: value || undefined }, true)
  }, typing_ms)
  useEffect(() => {
    // The URL changed for another reason than typing, such as a link or the back button.
    if ((params.search ?? '') === sent.current) return
    sent.current = params.search ?? ''
    setText(sent.current)
  }, [params.search])
  const type = (value: string) => {
    setText(value)
    search(value)
  }
  return (
    <TextInput
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
