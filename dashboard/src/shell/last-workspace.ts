const key = 'parley-workspace'

/** The workspace that was shown last in this browser. */
export const lastWorkspace = (): string | null => localStorage.getItem(key)

export const rememberWorkspace = (id: string): void => localStorage.setItem(key, id)
