/** The visitor's token, kept in this browser for this chat only. */
const key = `chat:${location.pathname.split('/').at(-1)}`

/** Where the browser blocks storage, a reload begins a new chat. */
let in_memory: string | undefined

export function readToken(): string | undefined {
  try {
    return localStorage.getItem(key) ?? in_memory
  } catch {
    return in_memory
  }
}

export function keepToken(token: string): void {
  in_memory = token
  try {
    localStorage.setItem(key, token)
  } catch {
    // Blocked or full.
  }
}
