import { useSetSession } from './session.ts'

const draft_prefix = 'parley-draft-'

/** By person: a tab may be used by several, one after the other. */
export const draftKey = (person_id: string, name: string): string => `${draft_prefix}${person_id}-${name}`

/** After the person has signed out. What they typed and didn't send is removed; it stays when a session only expires. */
export function useSignedOut(): () => void {
  const setSession = useSetSession()
  return () => {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(draft_prefix)) sessionStorage.removeItem(key)
    setSession(null)
  }
}
