/** The visitor's token, kept in this browser for this chat only. */
const key = `chat:${location.pathname.split('/').at(-1)}`
const storage = findStorage()

/** Whether another page shows the chat. The server allows this to the channel's origins only. */
export const is_embedded = window.parent !== window

/**
 * Browsers may block storage in a frame of another site. The page around the frame then keeps the token and passes it on in the
 * fragment. Without a frame the fragment is ignored: a link could otherwise put a visitor into someone else's chat.
 */
let token = is_embedded && !storage ? location.hash.slice(1) || undefined : storage?.getItem(key)
if (location.hash) history.replaceState(null, '', location.pathname + location.search)

export const readToken = (): string | undefined => token ?? undefined

export function keepToken(next: string): void {
  token = next
  try {
    if (storage) storage.setItem(key, token)
    else if (is_embedded) window.parent.postMessage({ chat_token: token }, '*')
  } catch {
    // The storage is full: a reload of the page begins a new chat.
  }
}

function findStorage(): Storage | undefined {
  try {
    return localStorage
  } catch {
    return undefined
  }
}
