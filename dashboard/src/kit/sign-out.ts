import { useSetSession } from './session.ts'

const draft_prefix = 'parley-draft-'

/** Drafts are kept by person, because several may use a tab, one after the other. */
export const draftKey = (person_id: string, name: string): string => `${draft_prefix}${person_id}-${name}`

/**
 * Call it when the person has signed out. It removes what they typed and didn't send, which stays when a session only
 * expires.
 */
export function useSignedOut(): () => void {
  const setSession = useSetSession()
  return () => {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(draft_prefix)) sessionStorage.removeItem(key)
    setSession(null)
  }
}
