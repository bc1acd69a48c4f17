import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'

interface SearchTextOptions {
  /** What the URL searches for, or ''. */
  searched: string
  /** How long to wait after a key. */
  typing_ms: number
  /** What typed text searches for. Without a result the search stays as it is. */
  read?: (text: string) => string | undefined | Promise<string | undefined>
  onSearch: (value: string | undefined) => void
}

/** The text of a field that searches while one types. It stays as typed, even if the search is for something shorter. */
export function useSearchText({ searched, typing_ms, read = (text) => text, onSearch }: SearchTextOptions) {
  const [text, setText] = useState(searched)
  const sent = useRef(searched)
  const search = useDebouncedCallback(async (typed: string) => {
    const value = await read(typed)
    if (value === undefined || value === sent.current) return
    sent.current = value
    onSearch(value || undefined)
  }, typing_ms)
  useEffect(() => {
    // The URL changed for another reason than typing, such as a link or the back button.
    if (searched === sent.current) return
    sent.current = searched
    setText(searched)
  }, [searched])
  const type = (value: string) => {
    setText(value)
    void search(value)
  }
  return { text, type }
}
