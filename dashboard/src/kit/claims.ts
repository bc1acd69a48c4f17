import { createContext, useContext } from 'react'

/** A holder says this often that it still holds a name. */
const beat_ms = 1_000
/** A holder that is silent for this long is gone, or its window hangs. */
const silent_ms = 4_000
/** The holder of a name objects within this time when another window takes it. */
const object_within_ms = 150

interface ClaimOptions {
  /** The names. The claim holds one of them, once no other window does. */
  names: readonly string[]
  onHeld: () => void
  /** Is called when another window holds the name after all. The claim goes on. */
  onLost: () => void
}

/** Hands out names, each of which only one window of the browser may hold at a time. */
export interface Claims {
  /** Begins a claim. Returns the function that ends it. */
  claim: (options: ClaimOptions) => () => void
}

interface Claim extends ClaimOptions {
  held?: string | undefined
  is_confirmed: boolean
  since: number
  timer?: ReturnType<typeof setTimeout>
}

interface Note {
  name: string
  holder: number
  since: number
  is_released: boolean
}

/**
 * Windows agree by messages. Web Locks exist only on HTTPS, where HTTP/2 lifts most limits, and a window that hangs
 * would keep its lock. Two windows may hold a name for a moment: the one that took it later then loses it. Without
 * BroadcastChannel each window holds what it wants.
 */
export function openClaims(): Claims {
  const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('parley-claims') : undefined
  const holder = Math.random()
  const claims = new Set<Claim>()
  const others = new Map<string, Note & { heard_at: number }>()
  let beat: ReturnType<typeof setInterval> | undefined

  const post = ({ held: name = '', since }: Claim, is_released = false) =>
    channel?.postMessage({ name, holder, since, is_released } satisfies Note)
  const ownClaim = (name: string) => [...claims].find(({ held }) => held === name)
  const isFree = (name: string) => !ownClaim(name) && !others.has(name)
  const take = () => {
    for (const claim of claims) {
      if (claim.held !== undefined) continue
      claim.held = claim.names.find(isFree)
      if (claim.held === undefined) continue
      claim.since = Date.now()
      claim.timer = setTimeout(() => {
        claim.is_confirmed = true
        claim.onHeld()
      }, object_within_ms)
      post(claim)
    }
  }
  const lose = (claim: Claim) => {
    clearTimeout(claim.timer)
    claim.held = undefined
    if (claim.is_confirmed) claim.onLost()
    claim.is_confirmed = false
  }
  const repeat = () => {
    for (const claim of claims) if (claim.held !== undefined) post(claim)
    for (const [name, { heard_at }] of others) if (Date.now() - heard_at > silent_ms) others.delete(name)
    take()
  }
  channel?.addEventListener('message', ({ data: note }: MessageEvent<Note>) => {
    if (note.is_released) {
      if (others.get(note.name)?.holder === note.holder) others.delete(note.name)
      return take()
    }
    const own = ownClaim(note.name)
    const is_own_earlier = own && (own.since < note.since || (own.since === note.since && holder < note.holder))
    if (is_own_earlier) return post(own)
    others.set(note.name, { ...note, heard_at: Date.now() })
    if (own) lose(own)
    take()
  })
  return {
    claim: (options) => {
      const claim: Claim = { ...options, is_confirmed: false, since: 0 }
      claims.add(claim)
      beat ??= setInterval(repeat, beat_ms)
      take()
      return () => {
        if (!claims.delete(claim)) return
        clearTimeout(claim.timer)
        if (claim.held !== undefined) post(claim, true)
        if (claims.size > 0) return
        clearInterval(beat)
        beat = undefined
      }
    },
  }
}

export const ClaimsContext = createContext<Claims | undefined>(undefined)

export function useClaims(): Claims {
  const claims = useContext(ClaimsContext)
  if (!claims) throw new Error('there is no ClaimsContext')
  return claims
}
