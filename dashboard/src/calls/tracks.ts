/** The channels of a recording, in their order. */
export const tracks = ['contact', 'agent'] as const
export type Track = (typeof tracks)[number]

export interface Tracks {
  mute: (muted: Track[]) => void
  close: () => Promise<void>
}

/** Plays each track of the element through its own volume. Browsers allow it once for an element, after a click. */
export function openTracks(audio: HTMLAudioElement): Tracks {
  const context = new AudioContext()
  const splitter = context.createChannelSplitter(tracks.length)
  context.createMediaElementSource(audio).connect(splitter)
  const gains = tracks.map((_, channel) => {
    const gain = context.createGain()
    splitter.connect(gain, channel)
    gain.connect(context.destination)
    return gain
  })
  return {
    mute: (muted) => {
      for (const [index, gain] of gains.entries()) gain.gain.value = muted.some((one) => one === tracks[index]) ? 0 : 1
    },
    close: () => context.close(),
  }
}
