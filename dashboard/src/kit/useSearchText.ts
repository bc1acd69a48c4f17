import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'

interface SearchTextOptions {
  /** The text for which the URL searches, or ''. */
  searched: string
  /** The wait after a key before the search, in milliseconds. */
  typing_ms: number
  /** Returns what typed text searches for. With undefined the search stays as it is. */
  read?: (text: string) => string | undefined | Promise<string | undefined>
  onSearch: (value: string | undefined) => void
}

/**
 * Holds the text of a field that searches while one types. It stays as typed, even if the search is for something
 * shorter.
 */
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
    // The URL has changed for another reason than typing, such as a link or the back button.
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
