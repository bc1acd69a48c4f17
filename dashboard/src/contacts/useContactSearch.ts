import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { ContactSearch } from './search.ts'

type Change = { [Name in keyof ContactSearch]?: ContactSearch[Name] | undefined }

/** Reads and changes the URL's query parameters. A changed filter goes back to the first page. */
export function useContactSearch() {
  const params = useSearch({ from: '/w/$workspace/contacts' })
  const navigate = useNavigate({ from: '/w/$workspace/contacts' })
  const change = useCallback(
    (changes: Change, replace = false) => {
      const is_filter_change = Object.keys(changes).some((name) => name !== 'contact' && name !== 'page')
      void navigate({
        search: (before) => ({ ...before, ...(is_filter_change && { page: undefined }), ...changes }) as ContactSearch,
        replace,
      })
    },
    [navigate],
  )
  return { params, change }
}
