import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { ContactSearch } from './search.ts'

type Change = { [Name in keyof ContactSearch]?: ContactSearch[Name] | undefined }

/** What the address says, and how to change it. A change of what is found begins at the first page. */
export function useContactSearch() {
  const said = useSearch({ from: '/w/$workspace/contacts' })
  const navigate = useNavigate({ from: '/w/$workspace/contacts' })
  const change = useCallback(
    (changes: Change, replace = false) => {
      const is_elsewhere = Object.keys(changes).some((name) => name !== 'contact' && name !== 'page')
      void navigate({
        search: (before) => ({ ...before, ...(is_elsewhere && { page: undefined }), ...changes }) as ContactSearch,
        replace,
      })
    },
    [navigate],
  )
  return { said, change }
}
