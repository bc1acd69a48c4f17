const turn_away_after_ms = 250
const turned_away_per_ms = 2

/** Room for a number of requests at once, which names share evenly when it is scarce. */
export interface Places {
  /** Whether there was one left. Who got one gives it back by `leave`. */
  take: (name: string) => boolean
  leave: (name: string) => void
}

/**
 * One name gets at most half of the room, or what is said. When all of it is taken, who has less than an even share still gets in, so that
 * a flood is turned away and not those beside it.
 */
export function openPlaces(room: number, own_max = room / 2): Places {
  const taken = new Map<string, number>()
  let total = 0
  return {
    take(name) {
      const own = taken.get(name) ?? 0
      if (own >= own_max) return false
      if (total >= room && own >= room / (taken.size + (own === 0 ? 1 : 0))) return false
      taken.set(name, own + 1)
      total += 1
      return true
    },
    leave(name) {
      const own = taken.get(name) ?? 0
      if (own > 1) taken.set(name, own - 1)
      else taken.delete(name)
      total -= 1
    },
  }
}

export type TurnAway = (say: () => void) => void

/**
 * Who asks for too much is told so a little later, and the later the more there are: callers who ask again at once would
 * keep the process busy with saying no.
 */
export function turningAway(): TurnAway {
  let waiting = 0
  return (say) => {
    waiting += 1
    const answer = () => {
      waiting -= 1
      say()
    }
    setTimeout(answer, Math.max(turn_away_after_ms, waiting / turned_away_per_ms))
  }
}
