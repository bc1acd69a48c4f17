import { CloseButton, Select, TagsInput, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { SearchIcon } from '../kit/icons.tsx'
import styles from './contacts.module.css'
import { type Source, source_names, sources } from './search.ts'
import { useContactSearch } from './useContactSearch.ts'

const typing_ms = 200

export function Filters({ tags_seen }: { tags_seen: string[] }) {
  const { said, change } = useContactSearch()
  return (
    <search className={styles.filters} aria-label="Filter contacts">
      <SearchField />
      <TagsInput
        aria-label="Tags"
        placeholder={said.tag ? '' : 'Any tag'}
        data={tags_seen}
        value={said.tag ?? []}
        onChange={(tag) => change({ tag: tag.length > 0 ? tag : undefined })}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear tags' }}
      />
      <Select
        aria-label="Source"
        placeholder="Any source"
        data={sources.map((source) => ({ value: source, label: source_names[source] }))}
        value={said.source ?? null}
        onChange={(source) => change({ source: (source as Source | null) ?? undefined })}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear source' }}
      />
    </search>
  )
}

/** Searches as one types; "/" leads here from anywhere on the page. */
function SearchField() {
  const { said, change } = useContactSearch()
  const [text, setText] = useState(said.search ?? '')
  const sent = useRef(said.search ?? '')
  const field = useRef<HTMLInputElement>(null)
  const search = useDebouncedCallback((words: string) => {
    sent.current = words
    change({ search: words || undefined }, true)
  }, typing_ms)
  useEffect(() => {
    // The address changed by something else than typing: a link, the way back.
    if ((said.search ?? '') === sent.current) return
    sent.current = said.search ?? ''
    setText(sent.current)
  }, [said.search])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const is_typing = event.target instanceof HTMLElement && event.target.closest('input, textarea, [role=dialog]')
      if (event.key !== '/' || is_typing) return
      event.preventDefault()
      field.current?.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  const type = (words: string) => {
    setText(words)
    search(words)
  }
  return (
    <TextInput
      ref={field}
      type="search"
      aria-label="Search contacts"
      placeholder="Search by name, phone number or email"
      leftSection={<SearchIcon size={17} />}
      rightSection={text && <CloseButton size="sm" aria-label="Clear search" onClick={() => type('')} />}
      value={text}
      onChange={({ currentTarget }) => type(currentTarget.value)}
    />
  )
}
