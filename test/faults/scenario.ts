export interface How {
  is_long: boolean
  rounds: number
  minutes: number
  random: () => number
  seed: number
  say: (line: string) => void
}

export interface Scenario {
  name: string
  about: string
  run: (how: How) => Promise<void>
}
