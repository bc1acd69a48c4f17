const key = 'parley-workspace'

export const lastWorkspace = (): string | null => localStorage.getItem(key)

export const rememberWorkspace = (id: string): void => localStorage.setItem(key, id)
